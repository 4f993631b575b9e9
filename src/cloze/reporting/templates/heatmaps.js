/* The standalone page of heat maps. */

const data = new Dataset(JSON.parse(document.getElementById("data").textContent));
const names = document.body.dataset.show !== "markers";
const gallery = document.getElementById("gallery");
const cards = [];
for (const pair of data.gallery)
  for (const map of pair) {
    const host = make("article");
    gallery.append(host);
    cards.push(new Card(host, data, map, names));
  }
bindNames(document.getElementById("names"), (shown) => cards.forEach((card) => card.setNames(shown)));
// Paper has no slider: all steps are printed side by side.
window.addEventListener("beforeprint", () => cards.forEach((card) => card.heatmap?.film && card.heatmap.toggleMultiples(true)));
