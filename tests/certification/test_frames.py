"""Clusterings in the columns of frames are counted by engines as they are in memory."""

import sys
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import dask
import dask.dataframe as dd
import duckdb
import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.certification import cluster_counts

pytestmark = []
if not find_spec("narwhals_dask"):
    # narwhals recommends it for Dask, but not every package index has it.
    says = "ignore:Dask support is moving out of Narwhals:FutureWarning"
    pytestmark = [pytest.mark.filterwarnings(says)]


def in_dask(frame):
    return dd.from_pandas(frame.to_pandas(), npartitions=2)


def in_duckdb(frame):
    return duckdb.from_arrow(frame.to_arrow())


ENGINES = {"polars": pl.DataFrame.lazy, "duckdb": in_duckdb, "dask": in_dask}


@pytest.fixture(autouse=True)
def in_one_thread():
    """Threads of Dask take longer to start than these frames to count."""
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def frame():
    """Clusters of all types, with gaps; a tenth of the 900 rows have labels."""
    rng = np.random.default_rng(0)
    y, texts = rng.integers(3, size=900), np.array(["a", "b", "c"])

    def noisy(share):
        return np.where(rng.random(900) < share, rng.integers(3, size=900), y)

    def without(values, *gaps):
        """The values, of which a tenth is of each kind of gaps."""
        found, place = pl.Series(values), rng.random(900)
        for i, gap in enumerate((None, *gaps)):
            found = found.set(pl.Series((place > i / 10) & (place < (i + 1) / 10)), gap)
        return found

    hidden = pl.Series(rng.random(900) < 0.9)
    days = pl.Series(10 * noisy(0.1)).cast(pl.Int32)
    return pl.DataFrame(
        {
            "whole": noisy(0.1),
            "with noise": without(noisy(0.15), -1),
            "whole floats": without(noisy(0.2).astype(float), -1.0, np.nan),
            "n_rows": texts[noisy(0.05)],  # called as a column of ours
            "text, gaps": without(np.array(["", "b", "c"])[noisy(0.1)], "-1"),
            "category": pl.Series(texts[noisy(0.12)]).cast(pl.Categorical),
            "enum": without(texts[noisy(0.12)]).cast(pl.Enum(["c", "a", "b"])),
            "boolean": without(noisy(0.1) == 1),
            "date": days.cast(pl.Date),
            "label": pl.Series(texts[y]).set(hidden, None),
        }
    )


def facts(certified):
    c = certified.certificate
    counts = c.n_train, c.n_test, c.n_train_errors, c.n_select
    claim = c.max_test_errors, c.bound, c.delta, dict(c.weights), c.kind, c.provisos
    return certified.best_name, counts, claim


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("classes", [None, ["a", "b", "c"]])
def test_the_same_certificate_as_in_memory(engine, classes, frame):
    """Clusters that are gaps are one, and come first."""
    # Other methods divide the labels by contents of rows.
    settings = {"y": "label", "classes": classes, "certify": "pac-mdl", "random_state": 0}
    expected = certify_clusterings(frame, **settings)
    found = certify_clusterings(ENGINES[engine](frame), **settings)
    assert facts(found) == facts(expected)
    assert_array_equal(found.cluster_classes, expected.cluster_classes)
    pd.testing.assert_frame_equal(found.clusters, expected.clusters, check_dtype=False)
    for name, column in expected.results.items():
        assert_array_equal(found.results[name], column, err_msg=name)
    numbers = found.results["n_clusters_found"].tolist()
    assert numbers == [3, 4, 4, 3, 4, 3, 4, 3, 3]
    assert found.certificate.verify()


@pytest.mark.parametrize(
    ("certify", "target"), [("pac-mdl", None), ("learned", None), ("holdout", 0.3)]
)
def test_the_same_in_all_engines_and_orders_of_rows(certify, target, frame):
    settings = {"y": "label", "certify": certify, "target": target, "random_state": 0}
    expected = certify_clusterings(frame.lazy(), **settings)
    for given_frame in (
        in_duckdb(frame.reverse()),
        in_dask(frame.sample(fraction=1, shuffle=True, seed=1)),
    ):
        found = certify_clusterings(given_frame, **settings)
        assert facts(found) == facts(expected)
        assert_array_equal(found.cluster_classes, expected.cluster_classes)


def test_no_query_is_about_many_columns(monkeypatch):
    """The time of a plan grows with the square of their number."""
    rng, sizes, concat = np.random.default_rng(0), [], narwhals.concat
    y = rng.integers(3, size=300)
    columns = {f"c{i}": np.where(rng.random(300) < i / 200, 0, y) for i in range(120)}
    hidden = pl.Series(y).set(pl.Series(rng.random(300) < 0.7), None)
    rows = pl.DataFrame(columns | {"label": hidden})

    def noted(frames):
        sizes.append(len(frames))
        return concat(frames)

    monkeypatch.setattr(narwhals, "concat", noted)
    found = certify_clusterings(rows.lazy(), "label", certify="pac-mdl")
    # Of each, and of two with as many rows in each cluster: they may be equal.
    assert (sum(sizes), max(sizes) <= 50) == (121, True)
    plain = certify_clusterings(rows, "label", certify="pac-mdl")
    assert (found.best_name, found.bound) == (plain.best_name, plain.bound)


@contextmanager
def in_sqlite(frame):
    import ibis

    backend = ibis.sqlite.connect()
    frame.to_pandas().to_sql("rows", backend.con, index=False)
    yield backend.table("rows")
    backend.disconnect()


@contextmanager
def in_sqlframe(frame):
    from sqlframe.duckdb import DuckDBSession

    session, arrow = DuckDBSession(conn=duckdb.connect()), frame.to_arrow()
    session._conn.register("arrow", arrow)
    session._conn.execute("CREATE TABLE rows AS FROM arrow")
    yield session.table("rows")
    session.stop()  # or DuckDB prints what it takes for leaks when Python ends


# Ibis 12 asks pandas 3 for an option that is deprecated there.
@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")
@pytest.mark.parametrize("database", [in_sqlite, in_sqlframe])
def test_the_same_certificates_in_a_database(database, frame):
    frame = frame.select("n_rows", "label", noise="with noise")
    with database(frame) as rows:
        for certify in ("pac-mdl", "holdout"):
            settings = {"y": "label", "certify": certify, "random_state": 0}
            expected = certify_clusterings(frame.lazy(), **settings)
            found = certify_clusterings(rows, **settings)
            assert facts(found) == facts(expected)
            assert_array_equal(found.cluster_classes, expected.cluster_classes)


@pytest.mark.parametrize("engine", ["polars", "memory"])
def test_columns_that_are_no_clusterings_are_left_out_by_name(engine, frame):
    rows = frame.with_columns(
        id=pl.int_range(900).cast(pl.String),
        part=pl.int_range(900) % 450,  # half as many values as rows are not too many
        score=pl.Series([0.5, None] * 450),
    )
    rows = rows if engine == "memory" else ENGINES[engine](rows)
    certify = partial(certify_clusterings, rows, "label", random_state=0)
    with pytest.warns(UserWarning, match="are left out: ") as told:
        found = certify(columns=["score", "whole*", "part", "id"])
    text = " ".join(str(warning.message) for warning in told)
    assert "column 'id' has 900 different values in 900 rows" in text
    assert "column 'score' holds 0.5, which is no whole number" in text
    assert facts(found) == facts(certify(columns=["part", "whole*"]))
    for name in ("id", "score"):
        with pytest.raises(ValueError, match=rf"column '{name}' h.*Leave them out by c"):
            certify(columns=name)


@pytest.fixture(scope="module")
def long_frame(frame):
    """The same rows four times, with columns of more texts than are counted at once."""
    number = pl.int_range(3600)
    return pl.concat([frame] * 4).with_columns(
        id=number, part=number % 1500, day=number % 1200
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_with_many_values_are_counted_like_others(engine, long_frame):
    """Texts are counted before they come into memory, and so many numbers at once."""
    names = pl.col("id", "part", "day")
    texts = long_frame.with_columns((names + 1000).cast(pl.String))
    found, settings = [], {"groups": "day", "random_state": 0}
    for rows in (long_frame, texts):
        with pytest.warns(UserWarning, match="'id' has 3600 different values in 3600"):
            found.append(certify_clusterings(ENGINES[engine](rows), "label", **settings))
    assert facts(found[0]) == facts(found[1])
    for name, column in found[0].results.items():
        assert_array_equal(found[1].results[name], column, err_msg=name)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize(
    "values", ["[i]", "{'a': i}", "'\\xFF'::BLOB || i::VARCHAR::BLOB"]
)
def test_columns_of_other_types_are_left_out(engine, values, frame):
    frame = frame.select("whole", "label", i=pl.int_range(900))
    rows = duckdb.sql(f"SELECT whole, label, {values} AS other FROM frame")
    rows = rows.pl().lazy() if engine == "polars" else rows
    with pytest.warns(UserWarning, match="column 'other' has 900 different values"):
        assert certify_clusterings(rows, "label", random_state=0).best_name == "whole"
    with pytest.raises(ValueError, match="column 'other' has 900 different values"):
        certify_clusterings(rows, "label", columns="other")


@pytest.mark.parametrize(("reader", "kind"), [("polars", str), ("duckdb", Path)])
def test_the_name_of_a_file_is_no_pattern(kind, reader, frame, tmp_path, monkeypatch):
    frame.drop("whole").write_parquet(tmp_path / "labels1.parquet")
    path = tmp_path / "labels[1].parquet"
    frame.write_parquet(path)
    expected = certify_clusterings(frame.lazy(), "label", random_state=0)
    if reader == "duckdb":  # it reads where Polars is not installed
        monkeypatch.setitem(sys.modules, "polars", None)
    found = certify_clusterings(kind(path), "label", random_state=0)
    assert f"counted by {reader}" in found.certificate.subject["rows"]
    assert facts(found) == facts(expected)


@pytest.mark.parametrize("certify", ["pac-mdl", "holdout"])
def test_the_name_of_a_column_is_no_pattern(certify, frame):
    frame = frame.select("whole", "text, gaps", "label").rename({"text, gaps": "^wh.*$"})
    settings = {"y": "label", "certify": certify, "random_state": 0}
    for own in (frame, frame.lazy()):
        found, expected = (
            certify_clusterings(rows, **settings).results
            for rows in (own, own.rename({"^wh.*$": "text"}))
        )
        errors = "mean_n_certifying_errors"
        assert_array_equal(found[errors], expected[errors])
    assert_array_equal(found["algorithm"], ["whole", "^wh.*$"])


def test_frames_in_memory_name_their_labels(frame):
    y = frame["label"].to_numpy()
    expected = certify_clusterings(frame.drop("label"), y, random_state=0)
    for own in (frame, frame.to_pandas(), frame.to_arrow()):
        found = certify_clusterings(own, "label", random_state=0)
        assert facts(found) == facts(expected)
        assert_array_equal(found.transduction, expected.transduction)


@pytest.mark.parametrize("values", [[[0.0, 1.0]], [{"a": 1}]])
@pytest.mark.parametrize("kind", [pl.DataFrame, pl.DataFrame.to_pandas])
def test_columns_of_several_values_are_named(values, kind, frame):
    rows = kind(frame.with_columns(vector=pl.Series(values * 900)))
    with pytest.raises(TypeError, match="values in column 'vector' of clusterings must"):
        certify_clusterings(rows, "label", random_state=0)


def test_what_needs_rows_is_absent(frame):
    certified = certify_clusterings(frame.lazy(), "label", random_state=0)
    assert certified.transduction is None
    assert not certified.certificate.fingerprints
    assert certified.certificate.subject["rows"].startswith("counted by polars")
    assert certified.clusters["n_unlabeled"].sum() == certified.certificate.n_test
    assert "counted by polars" in certified.report().html


def test_only_labeled_rows_are_fetched(frame, monkeypatch):
    """By what Polars collects; tables of counts have fewer rows."""
    codes = pl.col("label").replace_strict({"a": 0.0, "b": 1.0, "c": 2.0}, default=-1.0)
    first = pl.int_range(900) < 500  # -1 and NaN are none of the classes
    label = pl.when(first).then(codes).otherwise(float("nan"))
    numbers = frame.with_columns(label=label)
    n_labeled = frame["label"][:500].count()
    fetched, collect = [], pl.LazyFrame.collect

    def watched(*args, **kwargs):
        found = collect(*args, **kwargs)
        fetched.append(found.height)
        return found

    monkeypatch.setattr(pl.LazyFrame, "collect", watched)
    settings = {"classes": [0, 1, 2], "random_state": 0}
    certify_clusterings(numbers.lazy(), "label", certify="pac-mdl", **settings)
    assert 0 < max(fetched) < n_labeled
    certify_clusterings(numbers.lazy(), "label", certify="holdout", **settings)
    assert max(fetched) == n_labeled


def test_labels_of_no_class_are_errors(frame):
    found = []
    for rows in (frame.lazy(), frame):
        says = r"'c' \(\d\d of \d\d labeled rows\)"
        with pytest.warns(UserWarning, match=says) as told:
            own = certify_clusterings(
                rows, "label", classes=["a", "b"], certify="pac-mdl"
            )
        found.append((own.certificate.n_train_errors, str(told[0].message)))
    assert found[0] == found[1]


@pytest.mark.filterwarnings("ignore:.* hold no label:UserWarning")
@pytest.mark.parametrize("n_labeled", [3, 4, 40])
def test_the_default_is_the_same_as_in_memory(n_labeled, frame):
    """All labels certify if they are few, and else so many select, by seeds."""
    labeled, errors = pl.Series(np.random.default_rng(0).permutation(900) < n_labeled), []
    few = frame.select("whole", label=pl.when(labeled).then(pl.col("category")))
    for rows, seed in ((few, 0), *((few.lazy(), seed) for seed in range(6))):
        settings = {"classes": ["a", "b", "c"], "random_state": seed}
        found = certify_clusterings(rows, "label", **settings)
        certificate, n_select = found.certificate, int(0.6 * n_labeled)
        assert found.certify == ("pac-mdl" if n_labeled < 4 else "learned")
        assert certificate.n_select == (n_select if n_labeled > 3 else 0)
        assert certificate.n_train + certificate.n_select == n_labeled
        assert certificate.n_test == 900 - n_labeled
        errors.append(*found.results["mean_n_certifying_errors"])
    assert n_labeled < 40 or len({*errors}) > 1


def test_frames_whose_rows_change_are_refused(frame, long_frame):
    seeds = iter(range(10))

    def changed(rows):
        return rows.sample(fraction=0.5, seed=next(seeds))

    rows = frame.lazy().map_batches(changed, streamable=False)
    with pytest.raises(ValueError, match="the same rows in each computation"):
        certify_clusterings(rows, "label", certify="holdout")
    texts = long_frame.select("whole", "label", (pl.col("part") % 300).cast(pl.String))
    # Columns of two types take two queries. All numbers by label are equal by chance in
    # one of a million cases.
    rows = in_duckdb(texts).filter("random() < 0.5")
    with pytest.raises(ValueError, match="same rows in each .* numbers of rows by label"):
        certify_clusterings(rows, "label", certify="pac-mdl")


def test_refused(frame):
    rows = frame.lazy()
    for y in (None, "labels", frame["label"].to_list()):
        with pytest.raises(ValueError, match="y must be the name of a column of clust"):
            certify_clusterings(rows, y)
    empty = rows.with_columns(label=pl.lit(None, dtype=pl.String))
    halves = rows.with_columns(label=pl.Series([0.5, None] * 450))
    for bad, message in (
        (rows.drop_nulls("label"), "y has no unlabeled row"),
        (empty, "all its 900 values are -1 or missing"),
        (rows.select("label"), "clusterings must be columns besides"),
        (halves, "holds 0.5, but labels must be"),
        (
            rows.with_columns(whole=pl.col("label").cast(pl.Int64)),
            "clusterings must be a frame that its engine",
        ),
        (
            in_duckdb(frame.select("whole", "label").rename({"whole": "*"})),
            r"must have no column '\*', which means all",
        ),
        ("http://127.0.0.1:9/a.parquet", "clusterings must be a local file, or a data f"),
        ("s3://bucket/a.parquet", "clusterings must be a local file, or a data frame"),
    ):
        with pytest.raises(ValueError, match=message):
            certify_clusterings(bad, "label")


@pytest.mark.filterwarnings("ignore:.* hold no label:UserWarning")
@pytest.mark.parametrize("engine", ["polars", "memory"])
def test_columns_made_of_labels_are_refused_or_doubted(engine, frame):
    """A copy of y with the same gaps is refused; one with a few others is tested."""
    in_engine = ENGINES.get(engine, lambda rows: rows)
    copied = frame.with_columns(note=pl.col("label"))
    with pytest.raises(ValueError, match="column 'note' is missing exactly in the"):
        certify_clusterings(in_engine(copied), "label")
    kept = copied.with_columns(
        note=pl.when(pl.int_range(900) % 50 == 0).then(pl.lit("a")).otherwise("note")
    )
    odd = "do not look like .* too unevenly over the clusters of 'note'"
    with pytest.warns(UserWarning, match=odd) as caught:
        found = certify_clusterings(
            in_engine(kept), "label", certify="pac-mdl", random_state=0
        )
    told = [warning for warning in caught if "do not look" in str(warning.message)]
    assert [warning.filename for warning in told] == [__file__]
    assert found.certificate.statement.endswith(f"; but {found.certificate.caveat}.")


def test_the_choice_is_tested_by_counts(frame):
    found, again = (
        certify_clusterings(rows, "label", classes=["a", "b", "c"])
        for rows in (frame.lazy(), in_duckdb(frame.reverse()))
    )
    test, certificate = found.random_choice_test, found.certificate
    assert again.random_choice_test == test
    assert test.looks_random
    assert (test.n_samples, test.n_labeled) == (900, frame["label"].count())
    assert certificate.random_choice_p_value == test.p_value
    assert certificate.subject["rows"].endswith("their choice was tested by counts")
    assert "are exactly equally many in every class" in test.p_values


def test_counts_of_clusters_are_tested_unless_there_are_more_than_can_be_drawn():
    tables = [[[40, 1], [0, 39]], [[40, 40], [0, 0]]]
    fair, odd = (cluster_counts(t, unlabeled=[500, 500]) for t in tables)
    assert certify_clusterings([fair]).random_choice_test.looks_random
    with pytest.warns(UserWarning, match="over the clusters of '1'"):
        found = certify_clusterings([fair, odd], certify="pac-mdl")
    assert found.certificate.caveat
    many = cluster_counts(tables[0], unlabeled=[10**9, 10**9])
    assert certify_clusterings([many]).random_choice_test is None
