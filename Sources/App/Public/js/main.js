import { MiniPlayer } from "./components/mini-player.js";
import { message } from "./components/states.js";
import { h } from "./dom.js";
import { isOutdated, t } from "./i18n.js";
import { Router } from "./router.js";
import { AudioScreen } from "./screens/audio.js";
import { AudioComposeScreen } from "./screens/audio-compose.js";
import { CardFormScreen } from "./screens/card-form.js";
import { CardsScreen } from "./screens/cards.js";
import { CommentsScreen } from "./screens/comments.js";
import { ContactsScreen } from "./screens/contacts.js";
import { DriveScreen } from "./screens/drive.js";
import { DriveAccountScreen } from "./screens/drive-account.js";
import { DriveCreateScreen } from "./screens/drive-create.js";
import { FeedScreen } from "./screens/feed.js";
import { FoaasScreen } from "./screens/foaas.js";
import { FoaasOperationsScreen } from "./screens/foaas-operations.js";
import { FoaasPreviewScreen } from "./screens/foaas-preview.js";
import { FoaasSettingsScreen } from "./screens/foaas-settings.js";
import { InspectorScreen } from "./screens/inspector.js";
import { OutboxScreen } from "./screens/outbox.js";
import { PaymentScreen } from "./screens/payment.js";
import { PaymentsScreen } from "./screens/payments.js";
import { Shell } from "./shell.js";

/** The apps in the navigation: an app more is a line here, its screen below, and its route. */
const apps = [
  { name: "feed", path: "/", icon: "feed", screen: FeedScreen },
  { name: "contacts", path: "/contacts", icon: "contacts", screen: ContactsScreen },
  { name: "foaas", path: "/foaas", icon: "phrase", screen: FoaasScreen },
  { name: "audio", path: "/audio", icon: "audio", screen: AudioScreen },
  { name: "drive", path: "/drive", icon: "drive", screen: DriveScreen },
  { name: "inspector", path: "/inspector", icon: "inspector", screen: InspectorScreen },
];

const shell = new Shell(apps);
const screens = {};

/** A screen is made when it is first needed, and stays. */
function screen(name) {
  if (!screens[name]) {
    const { screen: Kind } = apps.find((app) => app.name === name);
    screens[name] = Object.assign(new Kind(shell), { name });
  }
  return screens[name];
}

/** Pages inside an app: `name` is the app that the navigation marks. Each is made anew, unless one comes back to it. */
const pages = {
  payment: { app: "contacts", make: ({ id }, cause) => new PaymentScreen(shell, id, cause === "link") },
  cards: { app: "contacts", make: () => new CardsScreen(shell) },
  cardForm: { app: "contacts", make: ({ query }) => new CardFormScreen(shell, { pay: contactId(query.get("pay")) }), isForgotten: true },
  payments: { app: "contacts", make: () => new PaymentsScreen(shell) },
  operations: { app: "foaas", make: () => new FoaasOperationsScreen(shell) },
  preview: { app: "foaas", make: ({ id }) => new FoaasPreviewScreen(shell, id) },
  foaasSettings: { app: "foaas", make: () => new FoaasSettingsScreen(shell) },
  compose: { app: "audio", make: () => new AudioComposeScreen(shell) },
  outbox: { app: "audio", make: () => new OutboxScreen(shell) },
  driveCreate: { app: "drive", make: () => new DriveCreateScreen(shell) },
  driveAccount: { app: "drive", make: ({ id }) => new DriveAccountScreen(shell, id) },
};
const made = {};

const contactId = (text) => (/^\d{1,18}$/.test(text ?? "") ? text : null);

function page(route, cause) {
  const { app, make, isForgotten } = pages[route.name];
  const known = made[route.name];
  if (known && !isForgotten && known.route.id === route.id && (cause === "history" || !route.id || shell.isFront(known.screen))) return known.screen;
  known?.screen.element.remove();
  if (known) shell.leave(known.screen);
  made[route.name] = { route, screen: Object.assign(make(route, cause), { name: app }) };
  return made[route.name].screen;
}

function notFound() {
  return { element: h("section", { class: "screen" }, message({
    glyph: "drop", title: t("notFound.title"), text: t("notFound.text"), test: "not-found", level: "h1",
    action: { title: t("notFound.home"), run: () => router.go("/") } })) };
}

function openComments(id) {
  const feed = screen("feed");
  const comments = new CommentsScreen(shell, id);
  shell.comments = comments;
  comments.drawItem(feed.item(id));
  feed.onState = () => comments.drawItem(feed.item(id));
  comments.open();
}

function closeComments() {
  shell.comments?.close();
  shell.comments = null;
  screen("feed").onState = null;
}

const router = new Router({
  feed: /^\/$/,
  comments: /^\/feed\/([^/]+)$/,
  contacts: /^\/contacts$/,
  payment: /^\/pay\/(\d{1,18})$/,
  cards: /^\/cards$/,
  cardForm: /^\/cards\/new$/,
  payments: /^\/payments$/,
  foaas: /^\/foaas$/,
  operations: /^\/foaas\/operations$/,
  preview: /^\/foaas\/operations\/([^/]+)$/,
  foaasSettings: /^\/foaas\/settings$/,
  audio: /^\/audio$/,
  compose: /^\/audio\/new$/,
  outbox: /^\/outbox$/,
  drive: /^\/drive$/,
  driveCreate: /^\/drive\/new$/,
  driveAccount: /^\/drive\/([^/]+)$/,
  inspector: /^\/inspector$/,
}, (route, cause) => {
  const { name, id } = route;
  if (shell.comments && shell.comments.id !== id) closeComments();
  if (name === "notFound") shell.present(notFound(), cause);
  else if (name in pages) shell.present(page(route, cause), cause);
  else shell.present(screen(name === "comments" ? "feed" : name), name === "comments" ? "start" : cause);
  if (name === "comments" && !shell.comments) openComments(id);
  shell.titleChanged();
});

// Another tab has changed the language: this one follows as soon as nothing is lost by it.
router.loads = () => isOutdated() && !shell.isHeld;
shell.closeComments = () => router.back("/");
shell.back = (path) => router.back(path);
shell.go = (path) => router.go(path);
shell.paid = () => {
  screen("contacts").forgetSearch();
  router.go("/contacts");
};
document.getElementById("main").after(new MiniPlayer().element);
router.start();
