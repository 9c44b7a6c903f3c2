// Draws the plot of a page in the site's colours, and again when they change.
{
  const place = document.querySelector(".live-plot");
  const spec = JSON.parse(document.querySelector(".live-plot-spec").textContent);
  const root = document.documentElement;
  const draw = () => {
    const dark = root.dataset.theme === "dark";
    const config = { ...(dark ? window.darkCharts : spec.config), background: null };
    const themed = { ...spec, config };
    const actions = { export: true, source: false, compiled: false, editor: false };
    vegaEmbed(place, themed, { renderer: "svg", actions });
  };
  new MutationObserver(draw).observe(root, { attributeFilter: ["data-theme"] });
  draw();
}
