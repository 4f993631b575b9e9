// What can be done with a word of the article: change it, or mend the name that it is.

import { apart, cut, joined, noName } from "./corrections.js";
import { byId, element } from "./elements.js";

/**
 * Open the menu at a word. on: { change(text), mend(correction), mark(name) or null }
 */
export function openWordMenu(reading, place, span, on) {
  const menu = byId("word-menu");
  const form = reading.article.words[place];
  const entity = reading.entities.find(({ id }) => id === reading.article.entities[place]);
  const act = (action) => () => {
    menu.hidePopover();
    action();
  };
  const parts = entity ? nameParts(reading, entity, form, act, on) : [];
  menu.replaceChildren(...parts, changing(form, act, on));
  menu.setAttribute("aria-label", `What to do with ${form}`);
  menu.showPopover();
  beside(menu, span);
  menu.querySelector("button, input").focus();
  menu.ontoggle = (event) => {
    if (event.newState === "closed" && span.isConnected) span.focus({ preventScroll: true });
  };
}

function nameParts(reading, entity, form, act, on) {
  const button = (label, action) => element("button", { type: "button", onclick: act(action) }, label);
  const parts = [element("h3", {}, element("bdi", {}, entity.name))];
  const others = entity.names.filter((name) => name !== form);
  if (others.length) parts.push(element("p", { class: "hint" }, `Also: ${others.join(", ")}`));
  if (on.mark) parts.push(button("This is the right answer", () => on.mark(entity.name)));
  parts.push(button(`“${form}” is not a name`, () => on.mend(noName(form))));
  if (others.length) parts.push(button(`“${form}” is somebody else`, () => on.mend(apart(form))));
  const words = form.split(" ");
  for (let k = 1; k < words.length && k < 4; k++) {
    const halves = [words.slice(0, k).join(" "), words.slice(k).join(" ")];
    parts.push(button(`Two names: “${halves[0]}” and “${halves[1]}”`, () => on.mend(cut(...halves))));
  }
  const same = reading.entities.filter((other) => other.id !== entity.id);
  if (same.length) parts.push(joining(same, entity, act, on));
  return parts;
}

function joining(others, entity, act, on) {
  const choice = element(
    "select",
    { id: "same-as" },
    ...others.map((other) => element("option", { value: other.names[0] }, other.name)),
  );
  const join = () => on.mend(joined(entity.names[0], choice.value));
  return element(
    "div",
    { class: "line" },
    element("label", { for: "same-as" }, "Same as"),
    choice,
    element("button", { type: "button", onclick: act(join) }, "Join"),
  );
}

function changing(form, act, on) {
  const field = element("input", { type: "text", id: "new-word", value: form, maxlength: 500, dir: "auto" });
  const submit = act(() => field.value.trim() !== form && on.change(field.value.trim()));
  const made = element(
    "form",
    { class: "line" },
    element("label", { for: "new-word" }, "Change to"),
    field,
    element("button", { type: "submit" }, "Change"),
  );
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  return made;
}

// Below the word, or above it where there is no room.
function beside(menu, span) {
  const [word, own] = [span.getClientRects()[0], menu.getBoundingClientRect()];
  const left = Math.max(8, Math.min(word.left, innerWidth - own.width - 8));
  const below = word.bottom + 6;
  const top = below + own.height < innerHeight ? below : Math.max(8, word.top - own.height - 6);
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
}
