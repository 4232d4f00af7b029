/**
 * The step of a recording that an address names; null if it names none.
 *
 * @param {string} search
 */
export function stepOf(search) {
  const text = new URLSearchParams(search).get("replay") ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

/**
 * The paths of the screens, by the names that the server gives them. `*` is the place of what the screen shows.
 *
 * @type {Record<string, string>}
 */
const PATHS = {
  feed: "/", comments: "/feed/*", contacts: "/contacts", payment: "/pay/*", cards: "/cards", "card-form": "/cards/new",
  payments: "/payments", foaas: "/foaas", "foaas-operations": "/foaas/operations", "foaas-preview": "/foaas/operations/*",
  "foaas-settings": "/foaas/settings", audio: "/audio", "audio-compose": "/audio/new", outbox: "/outbox", drive: "/drive",
  "drive-create": "/drive/new", "drive-account": "/drive/*",
};

/**
 * The address of the page that shows a step of a recording.
 *
 * @param {{ step: number, screen: string, subject: string }} place
 */
export function addressOf({ step, screen, subject }) {
  const path = (PATHS[screen] ?? "/").replace("*", () => encodeURIComponent(subject));
  return `${path}?replay=${step}`;
}
