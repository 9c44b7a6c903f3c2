// Shows the measures that fit all filters. Without this script, the whole table stays visible.
for (const form of document.querySelectorAll("form.catalogue-filters")) {
  const rows = [...document.querySelectorAll("table.catalogue tbody tr")];
  const show = () => {
    const { text, ...wanted } = Object.fromEntries(new FormData(form));
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const said = row.textContent.toLowerCase();
      row.hidden =
        Object.entries(wanted).some(([name, value]) => value && row.dataset[name] !== value) ||
        words.some((word) => !said.includes(word));
    }
    const left = rows.filter((row) => !row.hidden).length;
    form.querySelector("output").textContent = `${left} of ${rows.length} measures`;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  show();
}
