// A reader's names with their probabilities as bars, the likeliest first.

import { element, percent } from "./elements.js";
import { light, visit } from "./reading.js";

export class Ranking {
  /**
   * answer: as the server sent it; entities: by id; few: how many names are shown at first
   * right(entity): whether it is the name that was asked for
   * before: the probabilities before something was changed, by name; null if nothing was
   * mark(name): the user says that this name is right; null where they cannot
   */
  constructor(answer, { entities, few, right, before, mark }) {
    Object.assign(this, { answer, few });
    this.list = element("ol", { class: "ranking" });
    this.rows = answer.candidates.map((candidate) => {
      const was = before ? before.get(candidate.name) ?? 0 : null;
      return new Row(candidate, entities.get(candidate.entity), right(candidate.entity), was, mark);
    });
    this.arrange(answer.candidates.map((candidate) => candidate.probability));
  }

  // The answer as it was after a word of the question, if the reader's film says so.
  show(step) {
    if (this.answer.film) this.arrange(this.answer.film[step]);
  }

  arrange(probabilities) {
    const order = [...this.rows.keys()];
    if (probabilities[0] !== null) order.sort((a, b) => probabilities[b] - probabilities[a] || a - b);
    this.rows.forEach((row, place) => row.fill(probabilities[place]));
    const items = order.map((place) => this.rows[place].item);
    items.forEach((item, place) => item.classList.toggle("first", place === 0));
    const shown = items.slice(0, this.few);
    const focus = document.activeElement;
    this.list.replaceChildren(...shown, ...(items.length > this.few ? [this.more(items)] : []));
    if (this.list.contains(focus)) focus.focus(); // moving an element takes the focus from it
  }

  more(items) {
    const label = `${items.length - this.few} more`;
    const open = () => {
      const next = items[this.few];
      this.few = items.length;
      this.list.replaceChildren(...items);
      next.querySelector("button").focus();
    };
    const button = element("button", { type: "button", class: "quiet rest", onclick: open }, label);
    return element("li", { class: "more" }, button);
  }
}

class Row {
  constructor(candidate, entity, isRight, was, mark) {
    this.candidate = candidate;
    this.bar = element("span", { class: "share", "aria-hidden": "true" });
    this.percent = element("span", { class: "percent" });
    const properties = {
      type: "button",
      class: "go",
      title: isRight ? "The right name. Go to its next mention" : "Go to its next mention",
      onclick: () => visit(entity.id),
      onmouseenter: () => light(entity.id),
      onmouseleave: () => light(null),
      onfocus: () => light(entity.id),
      onblur: () => light(null),
    };
    const go = element("button", properties, this.bar, element("bdi", { class: "who" }, candidate.name));
    if (was !== null) go.append(element("small", { class: "was" }, `was ${percent(was)}`));
    go.append(this.percent);
    this.item = element("li", isRight ? { class: "right" } : {}, go);
    if (mark) this.item.append(marking(candidate.name, isRight, mark));
  }

  // A baseline's scores are counts or distances, not probabilities.
  fill(probability) {
    this.bar.style.setProperty("--share", (probability ?? 0).toFixed(4));
    const { score } = this.candidate;
    this.percent.textContent = probability === null ? String(Number(score.toFixed(2))) : percent(probability);
  }
}

function marking(name, isRight, mark) {
  return element(
    "button",
    {
      type: "button",
      class: "mark",
      "aria-pressed": isRight,
      "aria-label": `${name} is right`,
      title: isRight ? "Marked as right; click to take it back" : "Mark this name as the right one",
      onclick: () => mark(isRight ? null : name),
    },
    isRight ? "✓" : "○",
  );
}
