// What each reader answered: one line each, and the whole ranking of the one that is shown.

import { byId, element, percent, sentenceCase } from "./elements.js";
import { Ranking } from "./ranking.js";

const FEW = { alone: 5, several: 4, comparing: 3 };

let rankings = [];

/**
 * what: { reading, cards, hidden: the right name if it is known, shown: a reader's number, or null
 *         for all of them, before: rankings before a change, by model, or null }
 * on: { show(number), mark(name) or null }
 */
export function showAnswers(what, on) {
  const { reading, shown } = what;
  const several = reading.answers.length > 1;
  const entities = new Map(reading.entities.map((entity) => [entity.id, entity]));
  const right = (id) => what.hidden !== null && entities.get(id).names.includes(what.hidden);
  const few = shown === null ? FEW.comparing : several ? FEW.several : FEW.alone;
  rankings = reading.answers.map((answer) => {
    const before = what.before?.get(answer.model) ?? null;
    return new Ranking(answer, { entities, few, right, before, mark: on.mark });
  });
  const sections = reading.answers.map((answer, number) => {
    const card = what.cards.get(answer.model);
    const open = shown === null || number === shown;
    const head = several
      ? titleButton(answer, card, open, () => on.show(number))
      : element("h3", { class: "title" }, called(card));
    return element(
      "section",
      { class: open && several && shown !== null ? "reader shown" : "reader", "aria-label": card.title },
      head,
      element("div", { hidden: !open }, rankings[number].list, ...remarks(answer, reading.entities, what, right)),
    );
  });
  byId("answers").replaceChildren(...sections);
}

// The film of a reader is at a word of the question.
export function showStep(number, step) {
  rankings[number]?.show(step);
}

function titleButton(answer, card, open, onclick) {
  const [best] = answer.candidates;
  const properties = {
    type: "button",
    class: "title",
    "aria-expanded": open,
    title: "Show this reader's names and where it looked",
    onclick,
  };
  const button = element("button", properties, called(card));
  if (best && !open) {
    const sure = best.probability === null ? "" : percent(best.probability);
    button.append(
      element("span", { class: "best" }, element("bdi", {}, best.name), " ", element("small", {}, sure)),
    );
  }
  return button;
}

function called(card) {
  return element("span", {}, card.title, " ", element("small", {}, element("bdi", {}, card.name)));
}

function remarks(answer, entities, { hidden }, right) {
  const lines = [];
  const named = entities.filter((entity) => entity.mentions.length).length;
  const left = named - answer.candidates.length;
  if (!answer.candidates.length) {
    lines.push("No names were found in this article, so there is nothing to choose from.");
  } else if (hidden !== null) {
    const place = answer.candidates.findIndex((candidate) => right(candidate.entity));
    if (place === 0) lines.push("Its first name is the right one.");
    else if (place > 0) lines.push(`The right name came in place ${place + 1}.`);
  }
  if (answer.meaning) lines.unshift(`${sentenceCase(answer.meaning)}.`);
  if (left > 0) {
    const known = answer.candidates.length;
    lines.push(`It can tell ${known} names apart; the ${left} that are named least were left out.`);
  }
  if (answer.outside) lines.push("Some other word seemed likelier than any name.");
  if (answer.windows > 1) {
    lines.push(`The article is longer than it reads at once: it read ${answer.windows} overlapping windows.`);
  }
  return lines.map((line) => element("p", { class: "hint" }, line));
}
