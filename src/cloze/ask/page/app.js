// The page: what is written, what is read, what is asked.

import { showAnswers } from "./answers.js";
import { byId, element, sentenceCase, words } from "./elements.js";
import { fromFragment, toFragment } from "./link.js";
import { moveFilm, setNames, showReading } from "./reading.js";

const MOST_FILE_BYTES = 1_000_000;

const cards = new Map(); // the loaded models by name
let asked = { article: "", highlights: [], question: null, hidden: null, models: [] };
let reading = null; // the server's last answer
let shown = 0; // the reader whose attention is shown over the article
let comparing = false; // every reader's attention, side by side
let running = null; // the open request

// ---------------------------------------------------------------- the server

async function call(address, body, signal) {
  const options = body
    ? { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    : {};
  let response;
  let answer;
  try {
    response = await fetch(address, { ...options, signal });
    answer = await response.json();
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    const message = response
      ? `the server failed (${response.status})`
      : "the server does not answer; is cloze serve still running?";
    throw { message, field: null };
  }
  if (!response.ok) throw answer;
  return answer;
}

// Send the question; true if it was answered.
async function send(wanted) {
  running?.abort();
  const own = new AbortController();
  running = own;
  clearProblems();
  byId("main").setAttribute("aria-busy", "true");
  say(wanted.question === null ? "Reading …" : "Looking for the name …");
  try {
    const { article, highlights, question, models } = wanted;
    reading = await call("/api/read", { article, highlights, question, models }, own.signal);
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
  const done = await send({ article, highlights, question: null, hidden: null, models: chosen() });
  byId("read").disabled = false;
  if (!done) return;
  byId("question").value = "";
  render();
  byId("sentences").querySelector("button")?.focus({ preventScroll: true });
  scrollTo({ top: 0 });
}

async function ask(question, hidden) {
  if (!(await send({ ...asked, question, hidden, models: chosen() }))) return;
  byId("question").value = question;
  render();
  const [best] = reading.answers[shown]?.candidates ?? [];
  if (best) say(`${cards.get(reading.answers[shown].model).title}: ${best.name}`, true);
}

function render() {
  shown = Math.min(shown, Math.max(0, reading.answers.length - 1));
  show("reading");
  showSentences();
  showResult();
  updateAddress();
}

function showSentences() {
  const fromLead = reading.sentences[0]?.source === "lead";
  byId("offer-title").textContent = fromLead ? "Hide a name in the first sentences" : "Hide a name";
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
  if (reading.question) showAnswers(reading, cards, asked.hidden, comparing ? null : shown, choose);
  const numbers = comparing ? [...reading.answers.keys()] : reading.answers.length ? [shown] : [];
  showReading(reading, numbers, cards, asked.hidden, byId("as-names").ariaPressed === "true");
}

function choose(number) {
  shown = number;
  comparing = false;
  showResult();
  byId("answers").querySelectorAll("button.title")[number].focus();
}

function seeNames(names) {
  byId("as-names").ariaPressed = String(names);
  byId("as-markers").ariaPressed = String(!names);
  setNames(names);
}

// ---------------------------------------------------------------- models

function chosen() {
  const boxes = [...byId("models").querySelectorAll("input")];
  return boxes.length ? boxes.filter((box) => box.checked).map((box) => box.value) : [...cards.keys()];
}

function showModels() {
  if (cards.size < 2) return;
  for (const card of cards.values()) {
    const box = element("input", { type: "checkbox", value: card.name, checked: true });
    box.addEventListener("change", () => {
      if (!chosen().length) box.checked = true; // someone must answer
      else if (reading?.question) ask(asked.question, asked.hidden);
    });
    byId("models").append(element("label", { title: card.title }, box, element("bdi", {}, card.name)));
  }
  byId("models").hidden = false;
}

// ---------------------------------------------------------------- links

async function updateAddress() {
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
  const known = state.models.filter((name) => cards.has(name));
  for (const box of byId("models").querySelectorAll("input")) {
    box.checked = !known.length || known.includes(box.value);
  }
  if (await send({ ...state, models: chosen() })) {
    byId("question").value = state.question ?? "";
    render();
  }
  return true;
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
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea")) return;
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
  try {
    for (const card of await call("/api/models")) cards.set(card.name, card);
    showModels();
    if (!(await openLink())) byId("article").focus();
    await showExamples();
  } catch (problem) {
    showProblem(problem);
  }
}

start();
