const NS = "http://www.w3.org/2000/svg";

// Strokes on a 24-unit square.
const PATHS = {
  pin: "M12 21s7-6.2 7-11.4A7 7 0 0 0 5 9.6C5 14.8 12 21 12 21z|M12 12.2a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2z",
  feed: "M4 6.5A2.5 2.5 0 0 1 6.5 4h11A2.5 2.5 0 0 1 20 6.5v11a2.5 2.5 0 0 1-2.5 2.5h-11A2.5 2.5 0 0 1 4 17.5z|M4.5 17l4.6-4.8a1.6 1.6 0 0 1 2.3 0L17 18|M14.4 14.9l1.5-1.5a1.6 1.6 0 0 1 2.2 0l1.7 1.7|M15.5 8.6h.01",
  inspector: "M12 3l8.5 4.2L12 11.4 3.5 7.2z|M3.5 12l8.5 4.2 8.5-4.2|M3.5 16.8L12 21l8.5-4.2",
  reload: "M20 11.5A8 8 0 1 0 18 17|M20.2 5.4v6h-6",
  settings: "M4 7h9|M17 7h3|M15 9.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z|M4 17h3|M11 17h9|M9 19.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z",
  close: "M6 6l12 12|M18 6L6 18",
  back: "M15 5l-7 7 7 7",
  comment: "M20.5 11.6c0 4.2-3.8 7.4-8.5 7.4-1 0-2-.15-2.9-.42L4.5 20l1.2-3.6A7 7 0 0 1 3.5 11.6C3.500 7.400 7.300 4.200 12 4.200s8.500 3.200 8.500 7.400z",
  offline: "M3.500 3.500l17 17|M8.600 6.700A6.500 6.500 0 0 1 18 11.200a4 4 0 0 1 2.200 6.400|M17 19H7.500A4.500 4.500 0 0 1 6.200 10.200",
  alert: "M12 8.200v4.600|M12 16.200h.01|M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  trash: "M4.500 7h15|M9.500 7V5a1.200 1.200 0 0 1 1.200-1.200h2.600A1.200 1.200 0 0 1 14.500 5v2|M6.500 7l.8 11.600A1.600 1.600 0 0 0 8.900 20.200h6.200a1.600 1.600 0 0 0 1.600-1.600L17.500 7|M10 11v5|M14 11v5",
  check: "M5 12.500l4.500 4.500L19 7.500",
  down: "M12 5v14|M6 13l6 6 6-6",
  drop: "M12 3.200C9.300 7.400 6 10.600 6 14.600a6 6 0 0 0 12 0c0-4-3.300-7.200-6-11.400z",
  plug: "M9 3.500v5|M15 3.500v5|M6.500 8.500h11v3.200a5.500 5.500 0 0 1-11 0z|M12 17.200v3.300",
  key: "M8.500 19a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9z|M11.800 11.300L20 3.500|M16.500 6.800l3 3",
  broken: "M4 14.500v-8A2.500 2.500 0 0 1 6.500 4h11A2.500 2.500 0 0 1 20 6.500v6|M4 14.500l3-2.500 3.500 3 3.500-3.500 3 3 3-2|M4 18.500A1.500 1.500 0 0 0 5.500 20h13a1.500 1.500 0 0 0 1.500-1.500",
};

/** A decorative icon; whatever it belongs to carries the name. */
export function icon(name, className = "") {
  const svg = document.createElementNS(NS, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", "aria-hidden": "true", class: `icon ${className}`.trim() })) {
    svg.setAttribute(key, value);
  }
  for (const d of PATHS[name].split("|")) {
    const path = document.createElementNS(NS, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}
