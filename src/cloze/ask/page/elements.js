// Making elements without ever parsing text as HTML.

export const byId = (id) => document.getElementById(id);

// element("button", { class: "name", onclick: f }, "Oisin", " Tymon")
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.startsWith("aria-")) made.setAttribute(name, String(value)); // "false" means something
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

export const percent = (share) => {
  const hundredths = share * 100;
  if (hundredths > 0 && hundredths < 1) return "< 1 %";
  return `${Math.round(hundredths)} %`;
};

export const sentenceCase = (line) => line.charAt(0).toUpperCase() + line.slice(1);

// The words of a text with the spacing between them; `make(word, place)` makes each word.
export function words(text, make) {
  const pieces = [];
  text.words.forEach((word, place) => {
    pieces.push(make(word, place));
    if (text.after[place]) pieces.push(text.after[place]);
  });
  return pieces;
}
