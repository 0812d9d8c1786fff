"""Pages in a real browser: the site, reports and the reprs of results.

These are not part of the usual run. They need the packages of the extra ``browser``, a
Chromium (that of the system, or ``playwright install chromium``), and the site:

    pip install -e ".[browser,docs]"
    python -m sphinx doc doc/_build/html
    python -m pytest -m browser
"""

import shutil
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from test_site import DOC, SEARCHES

from sklearn_pacmdl import PACMDLSearchCV, draw_audit, finish_labels
from sklearn_pacmdl.audits import class_report
from sklearn_pacmdl.reports import certificate_report

pytestmark = pytest.mark.browser

SITE = DOC / "_build" / "html"
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}
# Brightness of a color of CSS, from 0 to 255.
BRIGHTNESS = """color => {
    const [r, g, b] = color.match(/[\\d.]+/g).map(Number);
    return 0.299 * r + 0.587 * g + 0.114 * b;
}"""

# Widths of pictures once loaded, those too that wait until somebody scrolls to them.
WIDTHS = """images => Promise.all(images.map(image => {
    image.loading = "eager";
    return image.decode().then(() => image.naturalWidth, () => 0);
}))"""


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"),
            args=["--no-sandbox"],
        )
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser):
    """Open a page, and fail at the end if its console has errors."""
    opened = []

    def open_page(path, viewport=DESKTOP, color_scheme="light"):
        context = browser.new_context(viewport=viewport, color_scheme=color_scheme)
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console",
            lambda said: errors.append(said.text) if said.type == "error" else None,
        )
        page.goto(path.as_uri() if isinstance(path, Path) else path)
        page.wait_for_load_state("networkidle")
        opened.append((context, errors))
        return page

    yield open_page
    for context, errors in opened:
        # Tests need no network, so icons and fonts from elsewhere may be missing.
        told = [error for error in errors if "ERR_" not in error and "CORS" not in error]
        context.close()
        assert not told


def fits(page):
    """Whether the page is as wide as the screen, so that nobody scrolls sideways.

    The theme has a box around the article, which may scroll on its own.
    """
    excess = "boxes => Math.max(...boxes.map(box => box.scrollWidth - box.clientWidth))"
    return page.eval_on_selector_all("html, .bd-article-container", excess) <= 1


def brightness(page, selector, what):
    style = f"e => getComputedStyle(e).{what}"
    return page.evaluate(BRIGHTNESS, page.eval_on_selector(selector, style))


def pictures(page):
    """Width of each picture as loaded; 0 if it is missing."""
    return page.eval_on_selector_all("img", WIDTHS)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Reports, and pages that hold the reprs of results as notebooks show them."""
    folder = tmp_path_factory.mktemp("pages")
    X, truth = load_iris(return_X_y=True)
    labeled = np.random.RandomState(0).permutation(150) < 75
    y = np.where(labeled, truth, -1)
    kmeans = KMeans(n_init=1)
    search = PACMDLSearchCV(kmeans, n_clusters=[2, 3, 5], random_state=0).fit(X, y)
    selective = PACMDLSearchCV(kmeans, n_clusters=[5, 8], target=0.2, random_state=0).fit(
        X, y
    )
    labels = np.where(np.arange(3000) < 400, 0, np.arange(3000) % 2)
    audit = draw_audit(3000, 400, random_state=0)
    finished = finish_labels(labels, np.arange(3000), audit, audit.rows % 2, target=0.05)
    reports = {
        "search": search.report(),
        "selective": selective.report(),
        "finished": finished.report(),
        "certificate": certificate_report(search.certificate_),
        "audit": audit.report(),
        "classes": class_report(labels, audit, audit.rows % 2).report(),
    }
    for name, report in reports.items():
        report.save(folder / f"{name}.html")
    reprs = [search._repr_html_(), search.certificate_._repr_html_()]
    reprs += [audit._repr_html_(), finished._repr_html_()]
    reprs.append(reports["search"]._repr_html_())
    head = '<!DOCTYPE html><meta name="viewport" content="width=device-width">'
    (folder / "reprs.html").write_text(head + "".join(reprs), encoding="utf-8")
    return folder


REPORTS = ["search", "selective", "finished", "certificate", "audit", "classes"]


@pytest.mark.parametrize("name", REPORTS)
def test_reports(visit, made, name):
    page = visit(made / f"{name}.html")
    assert page.locator(".statement").first.is_visible()
    assert all(pictures(page))
    folded = page.locator("body > details")
    for i in range(folded.count()):
        folded.nth(i).locator("summary").first.click()
        assert folded.nth(i).get_attribute("open") is not None
    assert fits(page)


@pytest.mark.parametrize("name", REPORTS)
def test_reports_on_a_phone_in_the_dark(visit, made, name):
    page = visit(made / f"{name}.html", PHONE, "dark")
    assert fits(page)
    assert brightness(page, "body", "backgroundColor") < 60
    assert brightness(page, "body", "color") > 180
    assert brightness(page, ".statement p", "color") > 180
    for i in range(page.locator("img").count()):
        shown = page.locator("img").nth(i).evaluate("e => e.currentSrc")
        dark = page.locator("source").nth(i).get_attribute("srcset")
        assert shown == dark


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_reprs(visit, made, scheme):
    page = visit(made / "reprs.html", PHONE, scheme)
    assert "5 clusters: at most" in page.locator("body > p strong").first.inner_text()
    frame = page.frame_locator("iframe")
    assert frame.locator(".statement").is_visible()


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line of log for each."""

    def log_message(self, *told):
        pass


@pytest.fixture(scope="session")
def site():
    """Address of the site, which is served, since scripts cannot fetch files."""
    if not (SITE / "index.html").exists():
        pytest.fail("The site is not built: see the head of this file.")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def paths():
    """Pages of the site; the folder of the theme holds none."""
    found = sorted(path.relative_to(SITE) for path in SITE.rglob("*.html"))
    return [path.as_posix() for path in found if "_static" not in path.parts]


def test_every_page_is_complete_and_fits_a_phone(visit, site):
    assert len(paths()) > 50
    page = visit(f"{site}/index.html", PHONE)
    for path in paths():
        page.goto(f"{site}/{path}")
        assert page.title(), path
        assert all(pictures(page)), path
        assert fits(page), path


def test_sections_and_sentences_on_a_phone(visit, site):
    page = visit(f"{site}/theory.html", PHONE)
    page.locator(".sections summary").click()
    page.locator(".sections a", has_text="Theorem 6").click()
    assert page.url.endswith("#theorem-6")
    page.goto(f"{site}/certificates.html")
    widths = "cells => cells.map(cell => cell.clientWidth)"
    assert min(page.eval_on_selector_all("td.sentences", widths)) > 150
    page.set_viewport_size(DESKTOP)
    assert not page.locator(".sections").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index.html", "guide.html", "gallery/index.html"])
def test_pages_on_a_phone(visit, site, name, scheme):
    page = visit(f"{site}/{name}", PHONE, scheme)
    background = brightness(page, "body", "backgroundColor")
    text = brightness(page, "article p, main p", "color")
    assert abs(background - text) > 100
    assert (background < 100) == (scheme == "dark")


def test_the_search_box_finds_the_search(visit, site):
    page = visit(f"{site}/search.html?q=PACMDLSearchCV")
    page.wait_for_selector("ul.search li a", timeout=20_000)
    found = page.locator("ul.search li a").all_inner_texts()
    assert any("PACMDLSearchCV" in text for text in found)


@pytest.mark.parametrize(("query", "name"), SEARCHES.items())
def test_search_finds_what_people_type(visit, site, query, name):
    title = (DOC / f"{name}.md").read_text(encoding="utf-8").splitlines()[0].strip("# ")
    page = visit(f"{site}/search.html?q={query.replace(' ', '+')}")
    page.wait_for_selector("ul.search li a", timeout=20_000)
    page.wait_for_timeout(1000)  # results come one after the other
    found = page.locator("ul.search li a").all_inner_texts()
    assert any(title in text for text in found[:6]), found
