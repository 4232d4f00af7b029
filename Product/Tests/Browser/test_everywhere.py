"""Every state of `states.py` in both languages, both themes and every width: axe finds nothing, and neither do checks of ours for what axe
cannot see. A state is reached once in a language; themes, widths, forced colours and paper are emulated there.

This is the part "everywhere" of `make nightly`, which sets AQUIFER_EVERYWHERE. Without it, one language, theme and width are looked at."""

import os
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from helpers import settled
from states import WALKS

AUDIT = (Path(__file__).parent / "audit.js").read_text("utf-8")
OURS = (Path(__file__).parent / "everywhere.js").read_text("utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE = """async (tags) => {
  const { violations } = await axe.run(document, { runOnly: tags, resultTypes: ["violations"], preload: false });
  const found = [];
  for (const { id, help, nodes } of violations) {
    for (const { target } of nodes) {
      // A bar can lie over a button until it is scrolled to.
      if (id === "target-size") {
        document.querySelector(target.join(" ")).scrollIntoView({ block: "center", behavior: "instant" });
        const again = await axe.run(target.join(" "), { runOnly: { type: "rule", values: [id] }, resultTypes: ["violations"] });
        if (again.violations.length === 0) continue;
      }
      found.push(`${id} (${help}): ${target.join(" ")}`);
    }
  }
  return found;
}"""
WIDE, PHONE, NARROW = (1280, 800), (390, 844), (320, 640)
#: Themes and widths that differ in more than one thing. Another language changes names and lengths, and no colour: there the narrow one
#: has all rules. The contrast of the other themes is looked at alone.
FORMS = {
    "en-US": [(WIDE, "light", TAGS), (PHONE, "dark", TAGS), (WIDE, "dark", ["color-contrast"]), (PHONE, "light", ["color-contrast"])],
    "pt-BR": [(PHONE, "dark", TAGS)],
}
WIDTHS = (NARROW, PHONE, WIDE)
if not os.environ.get("AQUIFER_EVERYWHERE"):
    FORMS, WIDTHS = {"pt-BR": FORMS["pt-BR"]}, (PHONE,)


class Look:
    """Looks at a state in every form, and keeps what is wrong until the end of the walk."""

    def __init__(self, page, forms):
        self.page, self.forms, self.found = page, forms, {}
        self.page.page.emulate_media(reduced_motion="reduce")

    def size(self, size):
        self.page.page.set_viewport_size({"width": size[0], "height": size[1]})

    def note(self, form, where, findings):
        for finding in findings:
            places = self.found.setdefault(finding, [])
            if (place := f"{where} ({form})") not in places:
                places.append(place)

    def __call__(self, where):
        page = self.page
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE_SCRIPT)
        for size, scheme, rules in self.forms:
            self.size(size)
            page.page.emulate_media(color_scheme=scheme)
            settled(page)
            form = f"{size[0]} {scheme}"
            self.note(form, where, page.evaluate(AXE, rules))
            self.note(form, where, page.evaluate(AUDIT))
            self.note(form, where, page.evaluate(OURS, "usual"))
            if rules is TAGS:
                page.page.emulate_media(forced_colors="active")
                settled(page)
                self.note(form, where, page.evaluate(OURS, "forced"))
                page.page.emulate_media(forced_colors="none")
            else:
                page.page.emulate_media(media="print")
                settled(page)
                self.note(form, where, page.evaluate(OURS, "print"))
                page.page.emulate_media(media="screen")
        for size in WIDTHS:
            self.size(size)
            for larger in (False, True):
                try:
                    page.fits(where, larger)
                except AssertionError as error:
                    self.note(f"{size[0]}{', text of 200 %' if larger else ''}", where, [str(error)])
        page.evaluate("document.documentElement.style.fontSize = ''")
        self.size(WIDE)


@pytest.mark.parametrize("language", FORMS)
@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.__name__)
def test_nothing_is_out_of_reach_in(walk, language, stopped_server, open_page, tmp_path):
    path, arguments = WALKS[walk]
    remotes = [argument() for argument in arguments if callable(argument)]
    given = [word for remote in remotes for word in ("--remote", f"audio={remote.address}")] or arguments
    page = open_page(stopped_server.start(*given), path, locale=language, wait=False, fails=True)
    look = Look(page, FORMS[language])
    try:
        walk(page, look, tmp_path)
    finally:
        for remote in remotes:
            remote.server.shutdown()
            remote.server.server_close()
    assert not look.found, "\n".join(f"{finding}\n    in {', '.join(places[:4])}{' …' if len(places) > 4 else ''}" for finding, places in look.found.items())
