/* The heat map in a notebook; it follows heatmap.js in one module, which anywidget runs. */

async function render({ model, el }) {
  const { context, query, answer, predicted, attention } = model.get("map");
  const looked = attention
    ? { ...attention, levels: await decompress(attention.z) }
    : levelsOf([], 1);
  const host = make("div");
  const names = make("button", {
    cls: "names", text: "show markers", attrs: { type: "button" },
    on: {
      click: () => {
        map.setNames(!map.names);
        names.textContent = map.names ? "show markers" : "show names";
      },
    },
  });
  el.classList.add("cloze-notebook");
  el.classList.toggle("unknown", answer === null); // then the reader's answer is neither right nor wrong
  el.replaceChildren(host, names);
  const what = { context: unpack(context), query: unpack(query), answer, predicted, ...looked };
  const map = new HeatMap(host, what);
  const watching = new ResizeObserver(() => map.what.steps && map.show(map.step));
  watching.observe(host); // it may be laid out only now
  return () => {
    map.stop();
    watching.disconnect();
  };
}

export default { render };
