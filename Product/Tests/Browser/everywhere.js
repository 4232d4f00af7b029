(mode) => {
  // Axe cannot see these: colours that the system forces, paper, and the language of what others have written. Findings are sentences.
  const findings = [];
  const scope = document.querySelector("dialog[open]") ?? document.body;
  const label = (e) => `<${e.localName} ${e.dataset.test || e.getAttribute("class") || `in ${e.parentElement.className}`}>`;
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0 && !e.closest(".visually-hidden, .skip-link, .toasts, noscript");
  const style = (e, part) => getComputedStyle(e, part);
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
  const contrast = (a, b) => {
    const [more, less] = [light(a), light(b)].sort((x, y) => y - x);
    return (more + 0.05) / (less + 0.05);
  };
  const ground = (e, paper) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) {
      const colour = parse(style(at).backgroundColor);
      layers.push(colour);
      if (colour.a === 1) break;
    }
    return layers.reverse().reduce((below, layer) => blend(layer, below), paper ?? parse(style(document.documentElement).backgroundColor));
  };
  const texts = function* (root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (walker.currentNode.textContent.trim() && shown(walker.currentNode.parentElement)) yield walker.currentNode;
  };

  if (mode === "usual") {
    // A picture or a coloured page can be behind the bar: its text is read on the darkest and on the lightest of them.
    const bar = document.querySelector(".app-bar");
    for (const text of texts(bar)) {
      const e = text.parentElement;
      if (e.closest(".popover")) continue;
      for (const behind of [{ r: 0, g: 0, b: 0, a: 1 }, { r: 255, g: 255, b: 255, a: 1 }]) {
        const layers = [];
        for (let at = e; at !== bar.parentElement; at = at.parentElement) layers.push(parse(style(at).backgroundColor));
        const below = layers.reverse().reduce((under, layer) => blend(layer, under), behind);
        const ratio = contrast(blend(parse(style(e).color), below), below);
        if (ratio < 4.5) findings.push(`“${text.textContent}” of the bar has contrast ${ratio.toFixed(2)} over ${behind.r ? "white" : "black"}`);
      }
    }
    // One of a group of radio buttons is chosen, from the first time that they are seen.
    const groups = Map.groupBy([...scope.querySelectorAll("input[type=radio]")].filter(shown), (e) => e.name);
    for (const [name, inputs] of groups) if (!inputs.some((e) => e.checked)) findings.push(`no radio button of ${name} is chosen`);
    // The Tab key goes the way of the eyes: down, or to the right. Bars that float have their own place.
    const floats = (e) => { for (let at = e; at; at = at.parentElement) if (["fixed", "sticky"].includes(style(at).position) && at.localName !== "dialog") return true; return false; };
    const stops = [...scope.querySelectorAll("a[href], button, input, select, textarea, [tabindex]")]
      .filter((e) => e.tabIndex >= 0 && !e.disabled && !e.closest("[inert]") && shown(e) && !floats(e));
    for (const [index, e] of stops.entries()) {
      if (e.tabIndex > 0) findings.push(`${label(e)} takes the focus out of turn`);
      const before = stops[index - 1];
      if (!before || before.contains(e)) continue;
      const [own, last] = [e, before].map((one) => one.getBoundingClientRect());
      // Cards in columns are read one by one: the next one begins beside the one before, or below its beginning.
      const [card, earlier] = [e, before].map((one) => one.closest("article"));
      if (card && earlier && card !== earlier) {
        const [top, limit] = [card, earlier].map((one) => one.getBoundingClientRect().top);
        if (top < limit - 1) findings.push(`${label(e)} has the focus after ${label(before)}, and its card begins above the card of that`);
        continue;
      }
      if (own.bottom <= last.top && own.left <= last.left) findings.push(`${label(e)} has the focus after ${label(before)}, and stands above it`);
    }
    // Things that are told apart by what they are named.
    for (const e of scope.querySelectorAll("article")) {
      if (!shown(e)) continue;
      if (!e.getAttribute("aria-labelledby") && !e.getAttribute("aria-label")) findings.push(`${label(e)} has no name`);
      if (!e.querySelector("h2, h3, h4")) findings.push(`${label(e)} has no heading`);
    }
    // The words of others have the language in which they wrote it, or none: never that of the page.
    const foreign = ".place, .description, .comment-text, .clip-title, .mini-title, .outbox-title, .phrase-message, .phrase-subtitle, .phrase-old-text, .operation-row .contact-name";
    for (const e of scope.querySelectorAll(foreign)) {
      if (shown(e) && !e.closest("input") && e.closest("[lang]") === document.documentElement) findings.push(`${label(e)} is read out as ${document.documentElement.lang}`);
    }
    window.__surfaces = [...scope.querySelectorAll("*")].filter((e) => {
      const own = style(e);
      const r = e.getBoundingClientRect();
      if (!shown(e) || r.width < 3 || r.height < 3 || e.closest(".shimmer, .skeleton, svg, img, canvas, .progress") || e === scope || e.matches(".screen, aq-image:has(img)")) return false;
      const colour = parse(own.backgroundColor);
      if (colour.a < 0.5) return false;
      return contrast(blend(colour, ground(e.parentElement)), ground(e.parentElement)) > 1.04;
    });
  }

  if (mode === "forced") {
    const hasEdge = (e) => {
      const own = style(e);
      const below = ground(e.parentElement);
      const edge = (width, kind, colour) => parseFloat(width) >= 1 && kind !== "none" && contrast(blend(parse(colour), below), below) >= 3;
      return edge(own.outlineWidth, own.outlineStyle, own.outlineColor)
        || ["Top", "Right", "Bottom", "Left"].some((side) => edge(own[`border${side}Width`], own[`border${side}Style`], own[`border${side}Color`]))
        || contrast(blend(parse(own.backgroundColor), below), below) >= 3;
    };
    // A ground that the system takes away leaves an edge.
    const fillsFrame = (e) => {
      const [own, frame] = [e, e.parentElement].map((one) => one.getBoundingClientRect());
      return Math.abs(own.left - frame.left) < 3 && Math.abs(own.right - frame.right) < 3 && hasEdge(e.parentElement);
    };
    for (const e of window.__surfaces ?? []) {
      if (e.isConnected && shown(e) && !hasEdge(e) && !fillsFrame(e)) findings.push(`${label(e)} vanishes`);
    }
    // A choice looks unlike the other choices.
    const looks = (e) => ["backgroundColor", "borderTopColor", "borderTopWidth", "outlineStyle", "outlineColor"].map((name) => style(e)[name]).join();
    const differs = (chosen, others, what) => {
      if (others.length && others.every((other) => looks(other) === looks(chosen))) findings.push(`${what} ${label(chosen)} looks like the others`);
    };
    const tab = document.querySelector(".tabs [aria-current]");
    if (tab && shown(tab)) differs(tab, [...document.querySelectorAll(".tabs a:not([aria-current])")], "the current tab");
    for (const input of scope.querySelectorAll("input[type=radio]:checked")) {
      const others = [...scope.querySelectorAll(`input[type=radio][name="${input.name}"]:not(:checked)`)];
      if (shown(input)) differs(input.nextElementSibling, others.map((other) => other.nextElementSibling), "the choice");
    }
    for (const e of scope.querySelectorAll("[role=switch]")) {
      const on = looks(e), was = e.getAttribute("aria-checked");
      e.style.transition = "none";
      e.setAttribute("aria-checked", String(was !== "true"));
      if (looks(e) === on) findings.push(`${label(e)} looks the same on and off`);
      e.setAttribute("aria-checked", was);
      e.style.transition = "";
    }
  }

  if (mode === "print") {
    // Browsers print no grounds, unless they are told to: all text is read on white paper.
    const white = { r: 255, g: 255, b: 255, a: 1 };
    const isExact = (e) => style(e).printColorAdjust === "exact";
    for (const text of texts(scope)) {
      const e = text.parentElement;
      const below = isExact(e) ? ground(e, white) : white;
      const hasPicture = isExact(e) && e.closest(".face");
      const ratio = contrast(blend(parse(style(e).color), below), below);
      if (ratio < 4.5 && !hasPicture) findings.push(`${label(e)} has contrast ${ratio.toFixed(2)} on paper`);
    }
    for (const e of scope.querySelectorAll("nav, .tools, .button, .icon-button, .play-button, [role=switch], .search")) {
      if (shown(e)) findings.push(`${label(e)} is printed, though paper has no buttons`);
    }
    const fixed = [...document.body.querySelectorAll("*")].filter((e) => shown(e) && ["fixed", "sticky"].includes(style(e).position) && !e.closest("dialog"));
    for (const e of fixed) findings.push(`${label(e)} stands on every sheet of paper`);
  }
  return findings;
};
