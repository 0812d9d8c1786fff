"""Pages: that they stand alone, escape what users wrote, and mark what is certified."""

import base64
import re
from html.parser import HTMLParser
from math import ceil, floor

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits

from sklearn_pacmdl import (
    PACMDLDisplay,
    PACMDLSearchCV,
    certify_clusterings,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.audits import (
    certify_difference,
    certify_labels,
    certify_share,
    class_report,
)
from sklearn_pacmdl.certificates import BoundCertificate
from sklearn_pacmdl.certification import cluster_counts
from sklearn_pacmdl.languages import Candidate
from sklearn_pacmdl.reports import certificate_report

HOLDS = BoundCertificate.from_counts(20, 20, 1, weights={})


class Page(HTMLParser):
    """What a page refers to, its text, and whether its tags are closed."""

    VOID = ("meta", "img", "source", "br", "hr", "input")

    def __init__(self, html):
        super().__init__()
        self.open, self.refers, self.texts = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.refers += [v for k, v in attrs if k in ("src", "href", "srcset", "action")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        assert tag in self.VOID

    def handle_data(self, data):
        if "style" not in self.open and "script" not in self.open:
            self.texts.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.texts))


def half(y):
    labeled = np.random.RandomState(0).permutation(len(y)) < len(y) // 2
    return np.where(labeled, y, -1)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600], y[:600], half(y[:600])


@pytest.fixture(scope="module")
def search(digits):
    X, _, y = digits
    candidates = [("<ward>", AgglomerativeClustering()), ("k-means", KMeans(n_init=1))]
    return PACMDLSearchCV(candidates, n_clusters=[10, 30], random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def audited():
    truth = np.arange(500) % 2
    labels = np.where(np.arange(500) < 100, 0, truth)
    audit = draw_audit(500, 100, labels=labels, random_state=0)
    return truth, labels, audit


def finished_by_a_search(X, y):
    search = PACMDLSearchCV(
        KMeans(n_init=1), n_clusters=[20], certify="holdout", random_state=0
    ).fit(X, y)
    audit, labels = search.audit_, search.transduction_
    answers = y[audit.rows]
    return finish_labels(labels, search.confidence_, audit, answers, target=0.2)


@pytest.fixture(scope="module")
def reports(digits, search, audited):
    X, y, y_seen = digits
    truth, labels, audit = audited
    free = draw_audit(500, 100, random_state=0)
    finished = finish_labels(labels, np.arange(500), free, truth[free.rows], target=0.1)
    given = {"k": 20, "Ward": search.labels_}
    given["k"] = KMeans(20, n_init=1, random_state=0).fit_predict(X)
    counts = cluster_counts([[40, 1], [0, 39]], unlabeled=[500, 500])
    classes = class_report(labels, audit, truth[audit.rows])
    kmeans = KMeans(n_init=1)
    return {
        "search": search.report(),
        "drawn": PACMDLSearchCV(kmeans, n_clusters=[9], refit=False).fit(X, y).report(),
        "dataset": finished_by_a_search(X, y_seen).report(),
        "selective": PACMDLSearchCV(kmeans, n_clusters=[20], target=0.3, random_state=0)
        .fit(X, y_seen)
        .report(),
        "clusterings": certify_clusterings(given, y_seen).report(),
        "counts": certify_clusterings([counts]).report(),
        "finished": finished.report(),
        "classes": classes.report(),
        "certificate": certificate_report(search.certificate_),
        **reports_of_audits(),
    }


def reports_of_audits():
    """Of classes whose names are no names, by 100 audited rows of 1,000."""
    truth = np.array(["<b>", "$x"])[np.arange(1000) % 2]
    labels = np.where(np.arange(1000) < 100, "<b>", truth)
    audit = draw_audit(1000, 100, labels=labels, exclude=[3, 5], random_state=0)
    data = labels, audit, truth[audit.rows]
    share = certify_share(*data, of="<b>")
    answers = np.roll(truth[audit.rows], 1)
    finished = finish_labels(labels, np.arange(1000), *data[1:], target=0.1)
    others = draw_audit(1000, 100, random_state=0)
    rest = others, truth[others.rows]
    return {
        "audit": audit.report(),
        "errors": certify_labels(*data).report(),
        "share": share.report(),
        "difference": certify_difference(labels, truth, *rest).report(),
        "left": finished.certificate.report(),
        "verified": certificate_report(share, verification=share.verify(*data)),
        "refuted": certificate_report(
            share, verification=share.verify(labels, audit, answers)
        ),
    }


def test_pages_stand_alone(reports):
    # The diagram of an estimator links to its documentation, scikit-learn's or ours.
    sites = "https://scikit-learn.org", "https://sklearn-pacmdl.readthedocs.io"
    for name, report in reports.items():
        page = Page(report.html)
        assert not page.open, name
        outside = [r for r in page.refers if not r.startswith(("data:", "#"))]
        assert all(r.startswith(sites) for r in outside), name
        assert "url(http" not in report.html, name
        assert 'class="statement' in report.html, name


def test_texts_of_users_are_escaped(reports):
    assert "<ward>" not in reports["search"].html.replace("&lt;ward&gt;", "")
    assert "&lt;ward&gt;" in reports["search"].html
    truth = np.arange(400) % 2
    y = np.where(half(truth) < 0, None, np.array(["<b>", "<i>"])[truth])
    certified = certify_clusterings({"<u>": np.array(["<s>", "<a>"])[truth]}, y)
    html = certified.report(title="<tt>").html
    assert "&lt;b&gt;" in html
    for tag in ("<b>", "<i>", "<u>", "<s>", "<tt>"):
        assert tag not in html
    for name in ("share", "verified", "refuted"):
        assert "<b>" not in reports[name].html


@pytest.mark.parametrize("name", ["errors", "share", "difference", "left", "classes"])
def test_pages_of_certificates_have_one_order(reports, name):
    """The sentence, what it assumes, the picture, the table."""
    html = reports[name].html
    headings = "What was assumed", "In a picture", "In numbers", "as JSON"
    places = [html.index(part) for part in ('class="statement', *headings)]
    assert places == sorted(places)
    assert html.count("<figure>") == 1
    marks = rows_of(html, "In numbers")
    certified = {head for head, mark in marks.items() if mark == "certified"}
    assert certified == {head for head in marks if re.search("lower|upper", head)}


def test_a_share_is_rounded_as_in_its_statement(reports):
    html = reports["share"].html
    low, high = re.search(r"\((\S+%) to (\S+%)\) are truly", Page(html).text).groups()
    body = part_of(html, "tbody", "In numbers")
    assert f">{low}<" in body
    assert f">{high}<" in body


def test_pages_of_verifications_say_what_was_compared(reports):
    text = Page(reports["verified"].html).text
    assert "certificate agrees with the data." in text
    assert "audit_labels: 100 labels counted; SHA-256 digest" in text
    assert "no data show its delta" in text
    page = reports["refuted"].html
    assert 'class="statement none"' in page
    assert "This certificate does not agree: " in Page(page).text
    assert "With probability" not in page
    assert "This certificate agrees with itself" in Page(reports["share"].html).text
    with pytest.raises(ValueError, match="verification must be what verify returned"):
        certificate_report(HOLDS, verification=True)


def test_estimates_are_between_the_bounds():
    rng = np.random.RandomState(0)
    truth, first, second = rng.uniform(size=(3, 2000)) < [[0.5], [0.7], [0.9]]
    audit = draw_audit(2000, 300, random_state=0)
    of_both = first[audit.rows], second[audit.rows]
    data = np.where(second, truth, ~truth), audit, truth[audit.rows]
    for certificate, line in (
        (certify_difference(*of_both, audit, of=True), "equally many"),
        (certify_difference(truth & first, *data), "equally many wrong"),
        (certify_share(*data, of=True), "by the labels"),
        (certify_labels(*data), None),
    ):
        columns, lines = certificate.numbers
        assert columns["lower"][0] < columns["estimate"][0] < columns["upper"][0]
        assert [*lines] == ([] if line is None else [line])


def test_estimates_of_classes_are_weighted_by_strata():
    rng = np.random.RandomState(0)
    truth, large = rng.randint(3, size=(2, 1000)) == 0
    labels = np.where(rng.uniform(size=1000) < np.where(large, 0.1, 0.4), 0, truth)
    audit = draw_audit(1000, 200, strata=large, random_state=0)
    true, said = truth[audit.rows], labels[audit.rows] == 1
    ratios = np.array([1000 - large.sum(), large.sum()]) / 100
    weight = ratios[large[audit.rows].astype(int)]
    report = class_report(labels, audit, true.astype(int))
    found = {name: of[1] for name, of in report.numbers[0].items()}
    both = weight[true & said].sum()
    assert found["recall_estimate"] == pytest.approx(both / weight[true].sum())
    assert found["recall_estimate"] != pytest.approx(np.mean(said[true]), abs=0.01)
    assert found["precision_estimate"] == pytest.approx(both / weight[said].sum())


def test_pages_call_things_by_their_names(reports, search):
    """An audit certifies nothing, and labels of a finished data set are from anywhere."""
    text = Page(reports["audit"].html).text
    assert "not certified 100 of 998 rows were drawn for people to label." in text
    assert "This audit agrees with itself; no data were compared." in text
    assert "rows that could not be drawn: excluded 2" in text
    finished = re.sub(r"data:[^\"]*", "", reports["finished"].html)
    assert "cluster" not in finished.lower()
    text = repr(reports["search"])
    assert text.startswith(f"Report('{search.best_algorithm_}, 30 clusters', ")
    assert len(text) < 100


def part_of(html, tag, head="Alternatives considered"):
    """The head or the body of the table below a heading."""
    part = html[html.index(head) :]
    return part[part.index(f"<{tag}>") : part.index(f"</{tag}>")]


def rows_of(html, head):
    """Marks of the columns below a heading, by head."""
    part = part_of(html, "thead", head)
    cells = re.findall(r"<th\b[^>]*>(.*?)</th>", part)
    marks = {}
    for cell in cells:
        badge = re.search(r"badge[^>]*>\s*(\w+)", cell)
        marks[cell.partition("<br>")[0]] = badge and badge[1]
    return marks


def test_only_what_holds_is_marked_as_certified(digits, search, reports):
    html = search.report().html
    marks = rows_of(html, "Alternatives considered")
    assert marks["bound on the error rate"] == "certified"
    assert marks["error rate among certifying labels"] == "descriptive"
    assert marks["clusters"] == "descriptive"
    assert marks["candidate"] is None
    rows = re.findall(r"<tr>(.*?)</tr>", part_of(html, "tbody"), re.DOTALL)
    cells = [re.findall(r"<td [^>]*>(.*?)</td>", row) for row in rows]
    assert [len([text for text in row if "%" in text]) for row in cells] == [2, 1, 1, 1]
    X, y, y_seen = digits
    held = PACMDLSearchCV(
        KMeans(n_init=1), n_clusters=[5, 9], certify="holdout", random_state=0
    ).fit(X, y_seen)
    marks = rows_of(held.report().html, "Alternatives considered")
    assert marks["bound on the error rate"] == "certified"
    several = PACMDLSearchCV(KMeans(n_init=1), n_clusters=[5], cv=3).fit(X, y).report()
    marks = rows_of(several.html, "Alternatives considered")
    assert marks["bound on the error rate"] == "descriptive"
    assert "Each of the 3 statements holds by itself" in several.html
    classes = rows_of(reports["classes"].html, "All bounds hold together")
    assert classes["precision lower bound"] == "certified"
    assert classes["predicted"] == "descriptive"


def test_bounds_are_rounded_as_in_the_statement(audited):
    rng, n_differ = np.random.RandomState(0), 0
    for n in (703, 707):
        truth = rng.randint(3, size=n)
        labels = np.where(rng.uniform(size=n) < 0.1, 0, truth)
        y = np.where(rng.permutation(n) < 300, truth, -1)
        certified = certify_clusterings({"a": labels}, y, random_state=0)
        c = certified.certificate
        rate = f"{ceil(10_000 * c.max_test_errors / c.n_test) / 100:.2f}%"
        assert f"({rate})" in c.statement
        assert f">{rate}<" in part_of(certified.report().html, "tbody")
        n_differ += f"{certified.bound:.2%}" != rate
    assert n_differ, "a control: other ways to round are seen"
    truth, labels, audit = audited
    classes = class_report(labels, audit, truth[audit.rows])
    table = classes.to_frame()["precision_lower_bound"]
    body = part_of(classes.report().html, "tbody", "All bounds hold together")
    for bound in table:
        assert f">{floor(10_000 * bound) / 100:.2f}%<" in body


def test_the_chosen_candidate_is_listed_first():
    """Random starts share a rank where hold-out ranks by their mean."""
    truth = np.arange(200) % 2
    clusterings = {"poor": np.arange(200) % 5, "right": truth}
    starts = [Candidate("k-means", 2, init) for init in range(2)]
    certified = certify_clusterings(
        clusterings, half(truth), certify="holdout", candidates=starts, random_state=0
    )
    assert certified.best_index == 1
    assert certified.results["rank_selection_error"].tolist() == [1, 1]
    html = certified.report().html
    first, second = re.findall(r"<tr>(.*?)</tr>", part_of(html, "tbody"), re.DOTALL)
    assert f"{certified.bound:.2%}" in first
    assert f"{certified.bound:.2%}" not in second


def test_the_chosen_labeling_is_named_first_everywhere():
    """By its name and its clusters' names, beside no numbers that are ours."""
    truth = np.arange(300) % 5 % 4
    names = np.array(["north", "south", "east"])
    clusterings = {"$fine_{$": names[truth % 3], "poor": names[truth // 3]}
    certified = certify_clusterings(clusterings, half(truth), random_state=0)
    assert str(certified).startswith("$fine_{$, chosen among 2 clusterings: With ")
    report = certified.report()
    assert report.title.startswith("$fine_{$")
    display = PACMDLDisplay.from_estimator(certified)
    display.figure_.canvas.draw()
    legend = [text.get_text() for text in display.legend_.get_texts()]
    assert any(r"\$fine_{\$" in text for text in legend)
    body = part_of(report.html, "tbody", "What was counted in each cluster")
    assert re.findall(r"<tr><th [^>]*>(\w+)", body) == ["north", "east", "south"]
    assert certified.classes_without_cluster == (3,)
    page = certified.report().html
    assert "No cluster is given these classes: 3." in page
    assert "Candidates, by their number of clusters." in page
    plt.close("all")


def test_clusters_of_many_classes_are_explained():
    truth = np.random.RandomState(0).permutation(600) % 4
    pages = [
        certify_clusterings({"one": clusters}, half(truth)).report().html
        for clusters in (np.where(truth == 0, "pure", "mixed"), truth)
    ]
    assert "agree with the class in these clusters: mixed." in pages[0]
    assert "agree with the class in these clusters" not in pages[1]


def test_names_that_most_labels_do_not_have_are_explained():
    """Where errors choose, all labels name clusters, and there is nothing to explain."""
    truth = np.random.RandomState(0).permutation(240) % 3
    clusters = np.arange(240) // 3  # of one or two labels each, which differ
    told = "Another class has more labels in these clusters"
    pages, named_by = [], []
    for choose in ("bound", "errors"):
        certified = certify_clusterings(
            {"one": clusters}, half(truth), choose=choose, random_state=0
        )
        named_by.append("learned weights" in set(certified.clusters["named_by"]))
        pages.append(certified.report().html)
    assert named_by == [True, False]
    assert told in pages[0]
    assert "after this result, only with new labels" in pages[0]
    assert told not in pages[1]


def test_starts_that_nobody_could_tell_apart_are_one_alternative():
    X = np.repeat(np.eye(3), 100, axis=0)  # all starts find the same three clusters
    y = np.arange(300) // 100
    search = PACMDLSearchCV(
        [("k-means", KMeans(n_init=1))], n_clusters=[2, 3], n_init=3, random_state=0
    ).fit(X, half(y))
    page = search.report().html
    part = page[page.index("Alternatives considered") : page.index("<h2>Clusters")]
    names = re.findall(r"<tr><th [^>]*>([^<]*)</th><td", part)
    assert names == ["k-means", "k-means"]
    assert "The best 6 of 6 candidates" in part
    assert "differ only in their random start" in part


def test_assumptions_say_whether_they_were_checked(search, reports):
    page = Page(reports["search"].html).text
    assert "Tested: the labeled rows look like a random choice (p = " in page
    p_value = search.random_choice_test_.p_value
    assert f"(p = {p_value:.2g})" in page
    assert page.count("Not checked") == 1
    assert "X was made without the labels Not checked" in page
    # Four of its kind, and that labeling and confidences were fixed before the audit.
    assert reports["finished"].html.count("Not checked: only those who made") == 6
    assert "The package drew the labeled rows itself" in reports["drawn"].html


def test_doubtful_choices_are_called_doubtful(digits):
    X, y, _ = digits
    first = np.where(np.arange(len(y)) < 300, y, -1)
    search = PACMDLSearchCV(
        KMeans(n_init=1), n_clusters=[10], certify="holdout", random_state=0
    )
    with pytest.warns(UserWarning, match="do not look like"):
        search.fit(X, first)
    caveat = search.certificate_.caveat
    report = search.report()
    assert "Tested, and doubtful" in report.html
    start = report.html.index('<div class="statement')
    headline = report.html[start : report.html.index("</div>", start)]
    assert headline.startswith('<div class="statement doubtful">')
    assert '<span class="badge doubtful">in doubt</span>' in headline
    assert caveat in headline
    assert "certified" not in headline
    marks = rows_of(report.html, "Alternatives considered")
    assert marks["bound on the error rate"] == "descriptive"
    assert "but the labeled rows" in certificate_report(search.certificate_).html
    with pytest.warns(UserWarning, match="do not look like"):
        certified = certify_clusterings({"k-means": search.labels_}, first)
    assert repr(certified).endswith(f"; but {certified.certificate.caveat})")
    assert str(certified).endswith(f"; but {certified.certificate.caveat}.")
    rows = search.audit_.rows
    classes = class_report(search.transduction_, search.audit_, first[rows])
    assert f"; but {caveat}." in classes.statement
    marks = rows_of(classes.report().html, "All bounds hold together")
    assert marks["precision lower bound"] == "descriptive"


@pytest.mark.filterwarnings("ignore:No certificate is issued", "ignore:.*too small")
def test_why_nothing_is_certified(digits, audited):
    X, y, _ = digits
    search = PACMDLSearchCV(
        KMeans(n_init=1), n_clusters=[5], certify="holdout", cv=2, random_state=0
    ).fit(X, y)
    report = search.report()
    assert "not certified No certificate is issued under" in Page(report.html).text
    truth, labels, _ = audited
    audit = draw_audit(500, 5, random_state=0)
    finished = finish_labels(
        labels, np.arange(500), audit, truth[audit.rows], target=0.01
    )
    assert "the audit is too small" in finished.report().html


def test_files_and_notebooks(search, tmp_path):
    path = tmp_path / "report.html"
    report = search.report(path, title="Handwritten digits")
    assert path.read_text(encoding="utf-8") == report.html
    assert "<title>Handwritten digits</title>" in report.html
    assert report._repr_html_().startswith("<iframe srcdoc=")
    assert "<html" not in report._repr_html_()
    for save in (search.report, report.save):
        with pytest.raises(ValueError, match=r"a file that ends in .html, got 'a.md'"):
            save("a.md")
    again = search.report(title="Handwritten digits")
    varying = r"Written \S+|sk-container-id-\d+|sk-estimator-id-\d+"
    assert re.sub(varying, "", again.html) == re.sub(varying, "", report.html)


def test_rows_of_segments_have_both_names():
    labels, by = np.arange(900) % 2, np.arange(900) // 450
    audit = draw_audit(900, 200, labels=labels, random_state=0)
    html = class_report(labels, audit, labels[audit.rows], by=by).report().html
    assert [*rows_of(html, "In numbers").items()][:2] == [
        ("segment", None),
        ("class", None),
    ]
    rows = re.findall(r"<tr>(.*?)</tr>", part_of(html, "tbody", "In numbers"))
    names = [re.findall(r"<t[hd] style='text-align:left'>(.*?)<", row) for row in rows]
    assert names == [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]


def test_long_pictures_and_tables_are_cut():
    labels = np.arange(1500) % 15
    audit = draw_audit(1500, 300, labels=labels, random_state=0)
    report = class_report(labels, audit, labels[audit.rows], metrics=["recall"])
    html = report.report().html
    assert "These are the first 12 of 15." in html
    assert part_of(html, "tbody", "In numbers").count("<tr>") == 15
    assert len(report.numbers[0]["recall_estimate"]) == 15
    names = np.arange(5000) % 250
    html = certify_clusterings({"one": names}, half(names)).report().html
    body = part_of(html, "tbody", "What was counted in each cluster")
    assert body.count("<tr>") == 200
    assert "50 further rows are not shown" in html


def test_texts_of_values(reports):
    body = part_of(reports["finished"].html, "tbody", "Other targets")
    assert {"yes", "no"} <= set(re.findall(r"<td [^>]*>(\w*)</td>", body))
    assert re.search(r"<th [^>]*>2.00%</th>", body)
    truth = np.repeat([0, 1], [12_345, 10_000])
    certified = certify_clusterings({"one": truth}, half(truth))
    body = part_of(certified.report().html, "tbody", "What was counted in each cluster")
    assert ">12,345</td>" in body
    # What was not computed is left empty: the bits of a candidate that was not chosen.
    body = part_of(reports["drawn"].html, "tbody", "Alternatives considered")
    assert "nan" not in body


def test_pictures_for_light_and_dark_screens(search):
    before = plt.get_fignums()
    html = search.report().html
    sources = r'srcset="data:image/svg\+xml;base64,(.*?)">\s*<img src="data:.*?,(.*?)"'
    dark, light = (base64.b64decode(code) for code in re.search(sources, html).groups())
    frames = [re.findall(rb"stroke: (#\w+); stroke-width: 0.8", s) for s in (dark, light)]
    assert [set(colors) for colors in frames] == [{b"#ffffff"}, {b"#000000"}]
    # Letters of 10 points are 9 pixels high where a phone shows 358 pixels of width.
    assert b'width="374.4pt"' in light
    assert plt.get_fignums() == before


def test_the_first_line_of_a_search_is_its_result(digits, search):
    X, y, _ = digits
    claim = search.certificate_.statement.split(", ", 1)[1].partition(", provided")[0]
    first, second = repr(search).splitlines()[:2]
    assert first == f"# <ward>, 30 clusters: {claim}."
    assert second.startswith("PACMDLSearchCV(")
    assert search._repr_html_().startswith(
        "<p><strong>&lt;ward&gt;, 30 clusters: at most"
    )
    unfitted = PACMDLSearchCV(KMeans())
    assert repr(unfitted).startswith("PACMDLSearchCV(")
    several = PACMDLSearchCV(KMeans(n_init=1), n_clusters=[5], cv=3).fit(X, y)
    assert repr(several).startswith(
        "# kmeans, 5 clusters: mean of the bounds of 3 splits"
    )
