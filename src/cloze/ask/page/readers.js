// Who the readers are, and which of them are asked.

import { byId, element } from "./elements.js";

const round = (value) => value.toFixed(1);

// `onChange` is called when another choice of readers is to be asked.
export function showReaders(cards, onChange) {
  const items = [...cards.values()].map((card) => {
    const title = [element("b", {}, card.title), " ", element("small", {}, element("bdi", {}, card.name))];
    const box = element("input", { type: "checkbox", value: card.name, checked: true });
    box.addEventListener("change", () => {
      if (!chosen(cards).length) box.checked = true; // someone must answer
      else onChange();
    });
    const named = cards.size > 1 ? element("label", {}, box, ...title) : element("p", {}, ...title);
    return element("li", {}, named, ...facts(card).map((line) => element("p", { class: "hint" }, line)));
  });
  const lines = [element("h2", {}, cards.size > 1 ? "Who answers" : "Who answers here")];
  lines.push(element("ul", {}, ...items));
  if ([...cards.values()].some((card) => card.trained_on)) {
    lines.push(
      element(
        "p",
        { class: "hint" },
        "They learnt from news stories and the sentences that sum them up. On other texts, and on " +
          "questions in words that are not the article’s, expect less.",
      ),
    );
  }
  byId("readers").replaceChildren(...lines);
  byId("who").hidden = false;
}

function facts(card) {
  const lines = [];
  if (card.parameters) {
    const weights = `${(card.parameters / 1e6).toFixed(1)} million weights`;
    lines.push(card.trained_on ? `${weights}, trained on ${card.trained_on}.` : `${weights}.`);
  } else if (!card.trained_on) lines.push("It was not trained.");
  for (const { questions, number, right, low, high } of card.results) {
    const interval = `between ${round(low)} and ${round(high)} with 95 % confidence`;
    lines.push(
      `Right on ${round(right)} % of ${number.toLocaleString("en")} questions of ${questions} (${interval}).`,
    );
  }
  if (card.trained_on && !card.results.length) lines.push("Its card says nothing of its accuracy.");
  return lines;
}

export function chosen(cards) {
  const boxes = [...byId("readers").querySelectorAll("input")];
  return boxes.length ? boxes.filter((box) => box.checked).map((box) => box.value) : [...cards.keys()];
}

export function choose(names) {
  for (const box of byId("readers").querySelectorAll("input")) {
    box.checked = !names.length || names.includes(box.value);
  }
}
