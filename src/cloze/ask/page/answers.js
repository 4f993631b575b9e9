// What each reader answered, side by side: its likeliest names as bars.

import { byId, element, percent } from "./elements.js";
import { light, visit } from "./reading.js";

const FEW = { alone: 5, several: 3 };

// `cards` are the models by name; `hidden` is the name that was hidden, if it is known.
export function showAnswers(reading, cards, hidden, shown, onShow) {
  const entities = new Map(reading.entities.map((entity) => [entity.id, entity]));
  const several = reading.answers.length > 1;
  const made = reading.answers.map((answer, number) => {
    const card = cards.get(answer.model);
    const right = (id) => hidden !== null && entities.get(id).names.includes(hidden);
    const title = several
      ? element(
          "button",
          {
            type: "button",
            class: "title",
            "aria-pressed": number === shown,
            title: "Show where this reader looked",
            onclick: () => onShow(number),
          },
          heading(card),
        )
      : element("h3", { class: "title" }, heading(card));
    return element(
      "section",
      { class: number === shown && several ? "reader shown" : "reader", "aria-label": card.title },
      title,
      ranking(answer, entities, right, several ? FEW.several : FEW.alone),
      ...remarks(answer, reading.entities, hidden, right),
    );
  });
  byId("answers").replaceChildren(...made);
}

function heading(card) {
  const title = element("span", {}, card.title);
  title.append(" ", element("small", {}, element("bdi", {}, card.name)));
  return title;
}

function ranking(answer, entities, right, few) {
  const list = element("ol", { class: "ranking" });
  const rows = answer.candidates.map((candidate) => row(candidate, entities, right));
  list.append(...rows.slice(0, few));
  if (rows.length > few) {
    const rest = element(
      "button",
      {
        type: "button",
        class: "quiet rest",
        onclick: () => {
          const first = rows[few];
          rest.parentElement.remove();
          list.append(...rows.slice(few));
          first.querySelector("button").focus();
        },
      },
      `${rows.length - few} more`,
    );
    list.append(element("li", { class: "more" }, rest));
  }
  return list;
}

function row(candidate, entities, right) {
  const entity = entities.get(candidate.entity);
  const bar = element("span", { class: "share", "aria-hidden": "true" });
  bar.style.setProperty("--share", (candidate.probability ?? 0).toFixed(4));
  const name = element("bdi", { class: "who" }, candidate.name);
  const found = right(candidate.entity);
  return element(
    "li",
    found ? { class: "right" } : {},
    element(
      "button",
      {
        type: "button",
        title: found ? "The hidden name. Go to its next mention" : "Go to its next mention",
        onclick: () => visit(entity.id),
        onmouseenter: () => light(entity.id),
        onmouseleave: () => light(null),
        onfocus: () => light(entity.id),
        onblur: () => light(null),
      },
      bar,
      name,
      element("span", { class: "percent" }, howSure(candidate)),
    ),
  );
}

// A baseline's scores are counts or distances, not probabilities.
function howSure({ probability, score }) {
  return probability === null ? String(Number(score.toFixed(2))) : percent(probability);
}

function remarks(answer, entities, hidden, right) {
  const lines = [];
  const named = entities.filter((entity) => entity.mentions.length).length;
  const left = named - answer.candidates.length;
  if (!answer.candidates.length) {
    lines.push("No names were found in this article, so there is nothing to choose from.");
  } else if (hidden !== null) {
    const place = answer.candidates.findIndex((candidate) => right(candidate.entity));
    if (place === 0) lines.push("Right: that is the name that was hidden.");
    else if (place > 0) lines.push(`The hidden name came in place ${place + 1}.`);
  }
  if (answer.meaning) lines.unshift(`${answer.meaning[0].toUpperCase()}${answer.meaning.slice(1)}.`);
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
