// The types that all modules of the pages share. `make check` checks every module against them and against `states.d.ts`.

/** A child of an element. Null, undefined and false are left out. */
type Child = Node | string | null | undefined | false;
type Children = Child | Child[];

/** The handlers of an element's events: `onclick`, `onkeydown`. */
type Handlers = { [Name in keyof HTMLElementEventMap as `on${Name}`]?: ((event: HTMLElementEventMap[Name]) => unknown) | null };

/** The attributes and handlers that `h` sets on an element. Null and false are left out. */
interface Properties extends Handlers {
    [name: string]: string | boolean | null | undefined | ((event: never) => unknown);
}

/** An element that draws what it is given. */
type Drawn<Value, Kind extends HTMLElement = HTMLElement> = Kind & { draw(value: Value): void };

/** The arguments of an intent: its fields, which can be left out if it needs none, and `replaces`. */
type Said<Fields> = {} extends Fields ? [fields?: Fields, replaces?: string | null] : [fields: Fields, replaces?: string | null];

/** Sends an intent of a screen. */
type Send<Name extends keyof Wire.Intents> = <Intent extends keyof Wire.Intents[Name] & string>(
    intent: Intent, ...said: Said<Wire.Intents[Name][Intent]>) => Promise<boolean>;

/** The cause of a change of pages: the first one, a link, or the browser's back and forward. */
type Cause = "start" | "link" | "history";

/** The request for the first states, which is sent before the modules are there. */
interface EarlyRequest {
    /** What was asked for, and how. */
    key: string;
    connection: AbortController;
    response: Promise<Response>;
}

interface Window {
    aquiferEarly?: EarlyRequest;
}

/** A page that the shell shows. */
interface Page {
    element: HTMLElement;
    /** The app that the navigation marks. */
    name?: string;
    title?: string;
    scroll?: number;
    /** True if it finds its place by itself when the page is loaded again; the shell then leaves that alone. */
    restoresScroll?: boolean;
    focused?: HTMLElement | null;
    /** True while something is done, or asked, that would be lost if the page was loaded again. */
    isWorking: boolean;
    /** True if a payment is made here: no news of other payments is told over it. */
    isPayment?: boolean;
    show?(): void;
    hide?(): void;
    reload?(): unknown;
    dismiss?(): boolean;
    settle?(): Promise<void>;
}

/** A window over a screen, with an address of its own. */
interface Overlay extends Page {
    /** The name of its route. */
    readonly route: string;
    /** The id in its route. */
    readonly id: string;
    close(): void;
}

// Parts of the browsers that the checker's own library lacks.

interface Array<T> {
    findLastIndex(test: (value: T) => boolean): number;
}

interface Element {
    checkVisibility(): boolean;
}

interface FocusOptions {
    focusVisible?: boolean;
}

interface Navigator {
    connection?: { saveData: boolean };
}

interface RequestInit {
    priority?: "high" | "low" | "auto";
}

interface HTMLElementTagNameMap {
    "aq-image": import("../components/image.js").AquiferImage;
}
