// The article as it was read, under the heat map that the reports use too (heatmap.js).

import { byId, element } from "./elements.js";
import { HeatMap, levelsOf } from "./heatmap.js";

const SPACING = { "": 0, " ": 1, "\n\n": 2 };
const NO_TEXT = { words: [], tokens: [], after: [], entities: [] };

let maps = []; // the heat maps on the page: one, or one for each reader

/**
 * Show the article with the attention of the answers `numbers`; without a question, the article.
 * on: { step(number, step), word(place, span) or nothing }
 */
export function showReading(reading, numbers, cards, hidden, names, on) {
  for (const map of maps) map.stop();
  const answers = numbers.map((number) => reading.answers[number]);
  const hosts = (answers.length ? answers : [null]).map((answer) => {
    const host = element("div", { class: "host" });
    host.classList.toggle("unasked", !reading.question);
    host.classList.toggle("unknown", hidden === null);
    const titled = element("section", {});
    if (answers.length > 1) titled.append(element("h3", {}, cards.get(answer.model).title));
    titled.append(host, unknownLine(reading, answer, cards));
    if (answer && !answer.attention && answer.candidates.length) {
      const line = `The ${cards.get(answer.model).title} has no attention to show.`;
      titled.append(element("p", { class: "hint" }, line));
    }
    return { titled, host, answer };
  });
  byId("text").replaceChildren(...hosts.map(({ titled }) => titled));
  maps = hosts.map(({ host, answer }, place) => {
    const own = { word: on.word, step: (step) => on.step(numbers[place], step) };
    return new HeatMap(host, picture(reading, answer, hidden), names, own);
  });
  const tokens = reading.article.words.length.toLocaleString("en");
  const named = reading.entities.filter((entity) => entity.mentions.length).length;
  byId("measure").textContent = `${tokens} tokens, ${named} ${named === 1 ? "name" : "names"}`;
}

export function setNames(names) {
  for (const map of maps) map.setNames(names);
}

// One word forward or back in the film; false if there is no film.
export function moveFilm(by) {
  const films = maps.filter((map) => map.film);
  for (const map of films) {
    map.stop();
    map.show(Math.max(0, Math.min(map.what.steps - 1, map.step + by)));
  }
  return films.length > 0;
}

function picture(reading, answer, hidden) {
  const context = text(reading.article);
  context.unknown = new Set(unknownTo(reading, answer));
  const query = text(reading.question?.text ?? NO_TEXT);
  if (reading.question) query.marker[reading.question.gap] = -1;
  return {
    context,
    query,
    answer: reading.entities.find((entity) => entity.names.includes(hidden))?.id ?? null,
    predicted: answer?.candidates[0]?.entity ?? null,
    ...levelsOf(answer?.attention ?? [], reading.article.words.length),
  };
}

// The words that a reader does not know; before it was asked, the first one's.
function unknownTo(reading, answer) {
  return reading.unknown[answer?.model ?? Object.keys(reading.unknown)[0]] ?? [];
}

function unknownLine(reading, answer, cards) {
  const model = answer?.model ?? Object.keys(reading.unknown)[0];
  const count = unknownTo(reading, answer).length;
  if (!(model in reading.unknown)) return "";
  const line = count
    ? `The ${cards.get(model).title} does not know the ${count === 1 ? "word" : `${count} words`} in grey: ` +
      "it reads them all as the same unknown word."
    : `The ${cards.get(model).title} knows every word of this article, or its parts.`;
  return element("p", { class: "hint only-markers" }, line);
}

function text({ words, tokens, after, entities }) {
  return {
    surfaces: words,
    tokens,
    spacing: after.map((space) => SPACING[space]),
    marker: [...entities],
  };
}

const mentions = (map, id) => map.words.filter((_, k) => map.what.context.marker[k] === id);

// Highlight every mention of an entity; null removes the highlight.
export function light(id) {
  for (const word of byId("text").querySelectorAll(".lit")) word.classList.remove("lit");
  if (id === null) return;
  for (const map of maps) for (const word of mentions(map, id)) word.classList.add("lit");
}

// Give the focus to a word of the article.
export function focusWord(place) {
  maps[0]?.goTo(place);
  maps[0]?.words[place]?.focus({ preventScroll: true });
}

// Scroll to the entity's next mention after the one shown last.
const lastShown = new Map();
export function visit(id) {
  const next = (lastShown.get(id) ?? -1) + 1;
  lastShown.set(id, next);
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  for (const map of maps) {
    const places = mentions(map, id);
    if (places.length) places[next % places.length].scrollIntoView({ block: "center", behavior });
  }
}
