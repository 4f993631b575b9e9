// The page: what is written, what is read, what is asked.

import { showAnswers, showStep } from "./answers.js";
import { described, showCorrections } from "./corrections.js";
import { byId, element, sentenceCase, words } from "./elements.js";
import { download, keptHere, keptPage } from "./keep.js";
import { fromFragment, toFragment } from "./link.js";
import { choose, chosen, showReaders } from "./readers.js";
import { focusWord, moveFilm, setNames, showReading } from "./reading.js";
import { call } from "./server.js";
import { openWordMenu } from "./word_menu.js";

const MOST_FILE_BYTES = 1_000_000;
const NOTHING = { article: "", highlights: [], question: null, hidden: null, models: [], corrections: [] };

const cards = new Map(); // the loaded models by name
const kept = keptHere(); // what this page holds, if it was kept as a file and has no server
let asked = NOTHING;
let reading = null; // the server's last answer
let change = null; // what was changed since the answer before: { line, before, asked }
let shown = 0; // the reader whose attention is shown over the article
let comparing = false; // every reader's attention, side by side
let running = null; // the open request

// Send what is wanted; true if it was answered.
async function send(wanted) {
  running?.abort();
  const own = new AbortController();
  running = own;
  clearProblems();
  byId("main").setAttribute("aria-busy", "true");
  say(wanted.question === null ? "Reading …" : "Looking for the name …");
  try {
    const { hidden, ...request } = wanted; // which name is right is nobody else's business
    reading = await call("/api/read", { ...request, film: true }, own.signal);
    asked = wanted;
    say("");
    return true;
  } catch (problem) {
    if (running === own) say("");
    if (problem.name !== "AbortError") showProblem(problem);
    return false;
  } finally {
    if (running === own) byId("main").removeAttribute("aria-busy");
  }
}

// ---------------------------------------------------------------- what went wrong

const PLACES = { article: "article-problem", highlights: "article-problem", question: "question-problem" };

function showProblem({ message, field }) {
  const isWriting = byId("main").dataset.state === "writing";
  const place = isWriting === (field !== "question") ? PLACES[field] : undefined;
  const line = byId(place ?? "trouble");
  line.textContent = `${sentenceCase(message ?? "something went wrong")}.`;
  line.hidden = false;
  if (place) {
    byId(field).setAttribute("aria-invalid", "true");
    byId(field).focus();
  } else {
    line.scrollIntoView({ block: "nearest" });
  }
}

function clearProblems() {
  for (const line of document.querySelectorAll(".problem[role=alert]")) line.hidden = true;
  for (const field of document.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
}

// For screen readers only: the page shows it anyway.
function say(line, isShown = false) {
  byId("status").classList.toggle("unseen", isShown || !line);
  byId("status").textContent = line;
}

// ---------------------------------------------------------------- writing and reading

function show(state) {
  byId("main").dataset.state = state;
  const isReading = state === "reading";
  byId("write").hidden = isReading;
  byId("intro").hidden = isReading;
  byId("reading").hidden = !isReading;
  byId("asking").hidden = !isReading;
  byId("result").hidden = !isReading || !reading?.question;
}

const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

async function readArticle() {
  const article = byId("article").value;
  const highlights = lines(byId("highlights").value);
  byId("read").disabled = true;
  const done = await send({ ...NOTHING, article, highlights, models: chosen(cards) });
  byId("read").disabled = false;
  if (!done) return;
  change = null;
  byId("question").value = "";
  byId("offer").open = true;
  render();
  byId("sentences").querySelector("button")?.focus({ preventScroll: true });
  scrollTo({ top: 0 });
}

async function ask(question, hidden) {
  if (!(await send({ ...asked, question, hidden, models: chosen(cards) }))) return;
  change = null;
  byId("question").value = question;
  showAnswer();
}

// Ask the same again after something was changed, and show how the answer moved.
async function askAgain(changes, line) {
  const old = { asked, before: probabilities() };
  if (!(await send({ ...asked, ...changes, models: chosen(cards) }))) return false;
  change = { line, ...old };
  if (reading.question) showAnswer();
  else render();
  return true;
}

async function undo() {
  if (!(await send(change.asked))) return;
  change = null;
  byId("article").value = asked.article;
  showAnswer();
}

// What each model gave each name, to be compared with later.
function probabilities() {
  if (!reading?.question) return null;
  const named = ({ model, candidates }) => [model, new Map(candidates.map((c) => [c.name, c.probability]))];
  return new Map(reading.answers.filter((a) => a.candidates[0]?.probability != null).map(named));
}

// Answers come first: the suggestions are folded away, and the focus goes to the answers.
function showAnswer() {
  byId("offer").open = false;
  render();
  byId("panel").scrollTop = 0;
  byId("answers-title").focus({ preventScroll: true });
  const { top } = byId("answers").getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) byId("asking").scrollIntoView();
  const [best] = reading.answers[shown]?.candidates ?? [];
  if (best) say(`${cards.get(reading.answers[shown].model).title}: ${best.name}`, true);
}

function render() {
  shown = Math.min(shown, Math.max(0, reading.answers.length - 1));
  show("reading");
  byId("main").classList.toggle("asked", Boolean(reading.question));
  showSentences();
  showCorrections(asked.corrections, kept ? null : dropCorrection);
  showResult();
  updateAddress();
}

function showSentences() {
  const fromLead = reading.sentences[0]?.source === "lead";
  const again = reading.question ? "another name" : "a name";
  byId("offer-title").textContent = fromLead ? `Hide ${again} in the first sentences` : `Hide ${again}`;
  byId("offer-hint").textContent = fromLead
    ? "These are the article’s own sentences, so a reader only has to find them again. A question in " +
      "your own words shows more."
    : "";
  const items = reading.sentences.map((sentence) => {
    const gaps = new Map(sentence.gaps.map((gap) => [gap.word, gap]));
    return element(
      "li",
      { dir: "auto" },
      ...words(sentence.text, (word, place) => (gaps.has(place) ? nameButton(word, gaps.get(place)) : word)),
    );
  });
  if (!items.some((item) => item.querySelector("button"))) {
    const line = reading.entities.length
      ? "None of these sentences names anyone the article names. Write a question below."
      : "No names were found in this article.";
    items.push(element("li", { class: "none" }, line));
  }
  byId("sentences").replaceChildren(...items);
}

function nameButton(word, gap) {
  const isHidden = asked.question === gap.question;
  const properties = {
    type: "button",
    class: isHidden ? "name gap" : "name",
    "aria-pressed": isHidden,
    "aria-label": `Hide ${word}`,
    onclick: () => ask(gap.question, word),
  };
  return element("button", properties, word);
}

// ---------------------------------------------------------------- answers and attention

function showResult() {
  const several = reading.answers.length > 1;
  comparing = comparing && several;
  byId("main").classList.toggle("comparing", comparing);
  byId("compare").hidden = !several;
  byId("compare").setAttribute("aria-pressed", comparing);
  const { hidden } = asked;
  if (reading.question) {
    const what = { reading, cards, hidden, shown: comparing ? null : shown, before: change?.before };
    showAnswers(what, { show: showReader, mark: isOwnQuestion() ? mark : null });
  }
  showChange();
  const numbers = comparing ? [...reading.answers.keys()] : reading.answers.length ? [shown] : [];
  const names = byId("as-names").ariaPressed === "true";
  showReading(reading, numbers, cards, hidden, names, { step: showStep, word: kept ? undefined : openMenu });
}

function showChange() {
  byId("moved").hidden = !change;
  if (!change) return;
  const back = element("button", { type: "button", class: "quiet", onclick: undo }, "Undo");
  byId("moved").replaceChildren(element("span", {}, change.line), back);
}

// Nobody knows the right answer to a question of one's own; the user may say it.
function isOwnQuestion() {
  return !reading.sentences.some(({ gaps }) => gaps.some(({ question }) => question === asked.question));
}

function mark(name) {
  const label = `${name ?? asked.hidden} is right`;
  asked = { ...asked, hidden: name };
  showResult();
  updateAddress();
  const buttons = [...byId("answers").querySelectorAll(".mark")].filter((button) => button.offsetParent);
  (buttons.find((button) => button.ariaLabel === label) ?? byId("answers-title")).focus();
}

// ---------------------------------------------------------------- a word of the article

function openMenu(place, span) {
  openWordMenu(reading, place, span, {
    mark: reading.question && isOwnQuestion() ? mark : null,
    change: (text) => changeWord(place, text),
    mend: async (correction) => {
      const corrections = [...asked.corrections, correction];
      if (await askAgain({ corrections }, `${described(correction)}.`)) focusAfter(place);
    },
  });
}

async function changeWord(place, text) {
  const { words: old, after } = reading.article;
  const article = old.map((word, k) => (k === place ? text : word) + after[k]).join("").trim();
  const line = text ? `“${old[place]}” became “${text}”.` : `“${old[place]}” was left out.`;
  if (!(await askAgain({ article }, line))) return;
  byId("article").value = article;
  focusAfter(place);
}

// Where there are answers, they have the focus.
function focusAfter(place) {
  if (!reading.question) focusWord(place);
}

function dropCorrection(number) {
  const corrections = asked.corrections.filter((_, k) => k !== number);
  askAgain({ corrections }, `Taken back: ${described(asked.corrections[number])}.`);
}

function showReader(number) {
  shown = number;
  comparing = false;
  showResult();
  byId("answers").querySelectorAll("button.title")[number].focus();
}

function seeNames(names) {
  byId("as-names").ariaPressed = String(names);
  byId("as-markers").ariaPressed = String(!names);
  byId("reading").classList.toggle("as-markers", !names);
  setNames(names);
}

// ---------------------------------------------------------------- links and files

async function updateAddress() {
  if (kept) return;
  history.replaceState(null, "", await toFragment(asked));
}

async function copyLink() {
  await updateAddress();
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied. It holds the whole text.");
  } catch {
    say("The browser does not let pages copy. The link is in the address bar.");
  }
}

async function openLink() {
  const state = await fromFragment(location.hash);
  if (!state) return false;
  byId("article").value = state.article;
  byId("highlights").value = state.highlights.join("\n");
  byId("more").open = state.highlights.length > 0;
  choose(state.models.filter((name) => cards.has(name)));
  if (await send({ ...state, models: chosen(cards) })) {
    change = null;
    byId("question").value = state.question ?? "";
    byId("offer").open = state.question === null;
    render();
  }
  return true;
}

async function keepPage() {
  try {
    const html = await keptPage({ cards: [...cards.values()], asked, reading, shown, when: Date.now() });
    download("cloze.html", html);
    say("The page is kept as cloze.html. It holds the whole text and needs no server.");
  } catch {
    say("The page could not be kept: the server does not answer.");
  }
}

// A page that was kept shows its answer and can ask nothing.
function openKept() {
  for (const card of kept.cards) cards.set(card.name, card);
  showReaders(cards, () => {});
  for (const box of byId("readers").querySelectorAll("input")) box.disabled = true;
  ({ asked, reading, shown } = kept);
  document.body.classList.add("kept");
  for (const id of ["offer", "ask", "edit", "copy", "keep", "word-hint"]) byId(id).hidden = true;
  document.querySelector(".wordmark").removeAttribute("href");
  const when = new Date(kept.when).toLocaleString("en", { dateStyle: "long", timeStyle: "short" });
  byId("promise").textContent = `Kept on ${when}. This file holds everything it shows and needs no server.`;
  render();
}

// ---------------------------------------------------------------- examples, files, keys

async function showExamples() {
  const examples = await call("/api/examples");
  const items = examples.map((example) => {
    const take = () => {
      byId("article").value = example.article;
      byId("highlights").value = example.highlights.join("\n");
      byId("more").open = example.highlights.length > 0;
      readArticle();
    };
    const title = example.highlights[0] ?? example.article.slice(0, 120);
    return element("li", {}, element("button", { type: "button", onclick: take }, title));
  });
  byId("stories").replaceChildren(...items);
  byId("examples").hidden = !items.length;
}

async function drop(event) {
  event.preventDefault();
  byId("write").classList.remove("over");
  const [file] = event.dataTransfer.files;
  clearProblems();
  if (file && file.size > MOST_FILE_BYTES) {
    showProblem({ message: "this file is too large; an article may have 8,000 tokens", field: "article" });
  } else {
    byId("article").value = file ? await file.text() : event.dataTransfer.getData("text/plain");
    byId("article").focus();
  }
}

function setUp() {
  byId("write").addEventListener("submit", (event) => {
    event.preventDefault();
    readArticle();
  });
  byId("write").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) readArticle();
  });
  byId("write").addEventListener("dragover", (event) => {
    event.preventDefault();
    byId("write").classList.add("over");
  });
  byId("write").addEventListener("dragleave", () => byId("write").classList.remove("over"));
  byId("write").addEventListener("drop", drop);
  byId("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    const question = byId("question").value;
    ask(question, question === asked.question ? asked.hidden : null);
  });
  byId("question").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      byId("ask").requestSubmit();
    }
  });
  byId("edit").addEventListener("click", () => {
    clearProblems();
    show("writing");
    byId("article").focus();
  });
  byId("copy").addEventListener("click", copyLink);
  byId("keep").addEventListener("click", keepPage);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea, select")) return;
    // 1, 2, 3: the attention of the first, second, third reader
    byId("answers").querySelectorAll("button.title")[Number(event.key) - 1]?.click();
    // A heat map that has the focus moves its own film.
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by && !event.target.closest(".heatmap") && moveFilm(by)) event.preventDefault();
  });
  addEventListener("hashchange", openLink);
  byId("compare").addEventListener("click", () => {
    comparing = !comparing;
    showResult();
  });
  byId("as-names").addEventListener("click", () => seeNames(true));
  byId("as-markers").addEventListener("click", () => seeNames(false));
}

async function start() {
  setUp();
  if (kept) return openKept();
  try {
    for (const card of await call("/api/models")) cards.set(card.name, card);
    showReaders(cards, () => reading?.question && ask(asked.question, asked.hidden));
    if (!(await openLink())) byId("article").focus();
    await showExamples();
  } catch (problem) {
    showProblem(problem);
  }
}

start();
