() => {
  // A small audit in the manner of axe: what it finds, as sentences.
  const findings = [];
  const dialog = document.querySelector("dialog[open]");
  const scope = dialog ?? document.body;
  const label = (e) => `<${e.localName} ${e.dataset.test ?? e.className}>`;
  const shown = (e) => e.checkVisibility({ opacityProperty: false, visibilityProperty: true }) && e.getClientRects().length > 0;
  const hiddenFromReaders = (e) => e.closest("[aria-hidden=true]") !== null;

  const name = (e) => {
    const by = e.getAttribute("aria-labelledby");
    if (by) return by.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim();
    if (e.getAttribute("aria-label")) return e.getAttribute("aria-label").trim();
    if (e.labels?.length) return [...e.labels].map((l) => l.textContent).join(" ").trim();
    if (e.localName === "img") return (e.getAttribute("alt") ?? "").trim();
    return (e.textContent || e.title || "").trim();
  };

  for (const e of scope.querySelectorAll("a[href], button, input, select, textarea, [role=button], [tabindex='0'], dialog, nav")) {
    if (shown(e) && !hiddenFromReaders(e) && !name(e)) findings.push(`${label(e)} has no name`);
    if (shown(e) && hiddenFromReaders(e) && e.tabIndex >= 0) findings.push(`${label(e)} takes the focus but is hidden from readers`);
  }
  for (const image of scope.querySelectorAll("img")) {
    if (!image.hasAttribute("alt")) findings.push(`${label(image)} has no alt`);
    if (image.closest("aq-image:not([quiet])") && !image.alt) findings.push(`a picture of the feed has an empty alt`);
  }

  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) findings.push(`id ${id} stands twice`);
  if (!document.documentElement.lang) findings.push("the page has no language");
  // A window over the feed is the page; a sheet or the drawer is a part of one.
  const front = document.querySelector("dialog.comments[open], dialog.viewer[open]") ?? document.querySelector("main");
  const heading = [...front.querySelectorAll("h1")].find((e) => e.checkVisibility())?.textContent.replace(/\s+/g, " ").trim();
  if (document.title !== `${heading} · Aquifer`) findings.push(`the page is called “${document.title}”, and headed “${heading}”`);
  for (const landmark of ["header", "nav", "main"]) {
    if (document.querySelectorAll(`body ${landmark}:not(section header, dialog header)`).length !== 1) findings.push(`there is not exactly one ${landmark}`);
  }

  let level = 0;
  const headings = [...scope.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter((e) => shown(e));
  if (headings.filter((e) => e.localName === "h1").length !== 1) findings.push("there is not exactly one h1");
  for (const heading of headings) {
    const now = Number(heading.localName[1]);
    if (now > level + 1) findings.push(`${heading.localName} “${heading.textContent}” follows level ${level}`);
    level = now;
  }

  // Contrast, with every colour brought to sRGB by the browser itself.
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const parse = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return { r, g, b, a: a / 255 };
  };
  const blend = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1 });
  const light = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      layers.push(colour);
      if (colour.a === 1) break;
    }
    let result = parse(getComputedStyle(document.documentElement).backgroundColor);
    for (const layer of layers.reverse()) result = blend(layer, result);
    return result;
  };
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !shown(e) || e.closest(".visually-hidden, noscript, .skip-link, .toasts")) continue;
    const style = getComputedStyle(e);
    const below = ground(e);
    const text = blend(parse(style.color), below);
    const [a, b] = [light(text), light(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) findings.push(`${label(e)} “${walker.currentNode.textContent.trim().slice(0, 40)}” has contrast ${ratio.toFixed(2)}`);
    if (size < 12) findings.push(`${label(e)} is smaller than 12 pixels`);
  }

  // Targets: at least 24 pixels either way, unless they stand in a sentence.
  for (const e of scope.querySelectorAll("a[href], button, input")) {
    if (!shown(e)) continue;
    const r = e.getBoundingClientRect();
    if (r.width < 24 || r.height < 24) findings.push(`${label(e)} is only ${Math.round(r.width)}×${Math.round(r.height)}`);
  }
  return findings;
}
