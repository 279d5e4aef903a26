import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dendrolab.tables import load_csv, prepare_table

NAN = np.nan


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="table.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write_file


def said(table, text):
    return any(text in note for note in table.notes)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(write, delimiter, end):
    lines = [delimiter.join(row) for row in (["a", "b"], ["1", "2.5"], ["-3", "4e2"])]
    table = load_csv(write(end.join(lines)))
    assert table.data.tolist() == [[1, 2.5], [-3, 400]]
    assert table.data.dtype == np.float64
    assert table.feature_names == ["a", "b"]
    assert table.target is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(write, encoding):
    table = load_csv(write("größe,b\n1,2\n3,4\n", encoding=encoding))
    assert table.feature_names == ["größe", "b"]
    assert said(table, "not UTF-8") == (encoding == "cp1252")


def test_compressed_file_and_name_with_spaces_and_accents(write):
    path = write(gzip.compress(b"a,b\n1,2\n3,4\n\n\n"), name="meine Größe é.csv.gz")
    table = load_csv(str(path))
    assert table.data.tolist() == [[1, 2], [3, 4]]
    assert table.filename == str(path)


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_decimal_commas(write, delimiter):
    rows = [["x", "y"], ["1,5", "0,125"], ["1.234,5", "1,250"], ["2.000", "-,5"]]
    table = load_csv(write("\n".join(delimiter.join(row) for row in rows)))
    assert table.data.tolist() == [[1.5, 0.125], [1234.5, 1.25], [2000, -0.5]]
    assert said(table, "Decimal commas")
    assert said(table, "thousands signs (first in line 4, column 'x': '2.000')")


def test_decimal_commas_without_header_are_not_delimiters(write):
    table = load_csv(write("1,5;2,5\n3,5;4,5\n"))
    assert table.data.tolist() == [[1.5, 2.5], [3.5, 4.5]]
    assert table.feature_names == ["f0", "f1"]
    assert said(table, "not a header")


def test_spaces_and_apostrophes_inside_numbers(write):
    table = load_csv(write("x;y\n1 234,5;1'000\n3,5;2\u202f000\u202f000\n"))
    assert table.data.tolist() == [[1234.5, 1000], [3.5, 2_000_000]]
    assert said(table, "read as thousands signs")


@pytest.mark.parametrize("clear", ["1,234.5", "1,234,567", "2.75"])
def test_thousands_commas_are_read_where_another_number_shows_them(write, clear):
    table = load_csv(write(f"x;y\n1,234;{clear}\n5;6\n"))
    assert table.data[:, 0].tolist() == [1234, 5]
    assert said(table, "Commas were read as thousands signs")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x;y\n1,234;2\n3,456;7\n", r"line 2, column 'x': '1,234' may have a decimal or a thousands comma"),
        (
            "x;y\n1,5;2\n3.5;7\n",
            r"mixes decimal commas \(line 2, column 'x': '1,5'\) and decimal points \(line 3",
        ),
        ("a,b\n1,2\n3\n", r"line 3: 1 field\(s\) found, 2 expected"),
        ("a,b\n1,2\n\n3,4,5\n", r"line 4: 3 field\(s\) found, 2 expected"),
        ('a,b\n1,"2\n3,4\n', "line 2: a quoted field that opens here is never closed"),
        ('a,b\n1,"2"x\n3,4\n', "line 2: text follows a closing quote"),
        (
            "a,b\n1,2\n12..5,3\n4,5\n",
            r"line 3, column 'a': '12..5' is not a number, but 2 of the column's 3 values",
        ),
        ("a,b\n1,2\n3,-inf\n", "line 3, column 'b': '-inf' is not finite"),
        ("a,b\n1,2\n3,1e999\n", "line 3, column 'b': '1e999' is not finite"),
        ("x\n1,5\n2,5\n", r"line 2: 2 field\(s\) found, 1 expected"),
        ("a,b\n1,2,\n2,4,\n", r"line 2: 3 field\(s\) found, 2 expected"),
        ("a,b\n4,5,3\n2,5,4\n", r"line 2: 3 field\(s\)"),
        ("a b\n1 2\n3 4\n", "line 2: numbers with spaces between them"),
        ('a,b\n1,"' + "x" * 140_000, "line 2: field larger.*may never be closed"),
        ("", "is empty"),
        ("\n  \n", "is empty"),
        ("a,b\n", "has a header in line 1 and no rows"),
        (b"PK\x03\x04\n\x00\x00", "line 2: a NUL byte"),
        (b"\xff\xfea", "UTF-16 text but is damaged"),
        ("name\n" + "\n".join(f"n{i}" for i in range(30)), "no usable feature"),
    ],
)
def test_refusals_name_line_and_column(write, content, message):
    with pytest.raises(ValueError, match=message):
        load_csv(write(content))


def test_line_numbers_count_lines_inside_quoted_fields(write):
    with pytest.raises(ValueError, match=r"line 4, column 'a': 'x1'"):
        load_csv(write('a,b\n1,"two\nlines"\nx1,p\n3,p\n4,p\n'))


def test_missing_file_folder_and_broken_gzip(write, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file.*absent"):
        load_csv(tmp_path / "absent.csv")
    with pytest.raises(ValueError, match="is a folder"):
        load_csv(tmp_path)
    with pytest.raises(ValueError, match="not a complete gzip file"):
        load_csv(write(gzip.compress(b"a,b\n1,2\n" * 50)[:-9], name="cut.csv.gz"))


def test_types_missing_values_and_one_hot(write):
    table = load_csv(write("n,flag,kind,none\n1,True,red,\nNA,no,blue,\n?,,red,null\n4,yes,,\n"))
    assert table.feature_names == ["n", "flag", "kind=blue", "kind=red", "none"]
    expected = [[1, 1, 0, 1, NAN], [NAN, 0, 1, 0, NAN], [NAN, NAN, 0, 1, NAN], [4, 1, NAN, NAN, NAN]]
    np.testing.assert_array_equal(table.data, expected)
    assert said(table, "1 number, 1 boolean, 1 text, 1 empty")
    assert list(table.frame.columns) == ["n", "flag", "kind", "none"]
    assert "\n".join(table.notes) == table.DESCR


def test_text_of_many_values_is_left_out(write):
    rows = "\n".join(f"{i}.5,name{i},{'ab'[i % 2]}" for i in range(21))
    table = load_csv(write("x,name,group\n" + rows))
    assert table.feature_names == ["x", "group=a", "group=b"]
    assert said(table, "'name' was left out: 21 different values")


def test_quoted_fields_keep_delimiters_quotes_and_line_ends(write):
    table = load_csv(write('x,"a ""b"", c"\n1,"p,q"\n2,"r\ns"\n'))
    assert table.feature_names == ["x", 'a "b", c=p,q', 'a "b", c=r\ns']
    assert table.data.tolist() == [[1, 1, 0], [2, 0, 1]]


def test_repeated_and_empty_headers_get_names(write):
    table = load_csv(write("x,x,x.1,,x\n1,2,3,4,5\n6,7,8,9,0\n"))
    assert table.feature_names == ["x", "x.2", "x.1", "Unnamed: 3", "x.3"]
    assert len(set(table.feature_names)) == 5
    assert said(table, "'x' to 'x.2'")


@pytest.mark.parametrize(
    ("content", "names", "index"),
    [
        (",x\nanna,1\nbob,2\n", ["x"], ["anna", "bob"]),
        ("id,x\n1,5\n2,7\n", ["x"], ["1", "2"]),
        ("Index,x\n0,5\n1,7\n", ["x"], ["0", "1"]),
        ("x,y\nr1,5,1\nr2,7,2\n", ["x", "y"], ["r1", "r2"]),
        ("x,y\n1,5,1\n2,7,2\n", ["x", "y"], ["1", "2"]),
        ("id,x\n3,5\n9,7\n", ["id", "x"], None),
        ("count,x\n1,5\n2,7\n", ["count", "x"], None),
    ],
)
def test_index_column(write, content, names, index):
    table = load_csv(write(content))
    assert table.feature_names == names
    assert said(table, "row names") == (index is not None)
    if index:
        assert list(table.frame.index) == index


def test_header_is_recognised(write):
    assert load_csv(write("5.1,3.5,setosa\n4.9,3.0,setosa\n6.0,2.2,virginica\n"), label=-1).data.shape == (
        3,
        2,
    )
    numbered = load_csv(write("country,2001,2002\nFR,1,2\nDE,3,4\n"))
    assert numbered.feature_names == ["country=DE", "country=FR", "2001", "2002"]
    assert said(numbered, "names are numbers")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "02", "3.0"], [1, 2, 3]),
        (["1", "", "3"], ["1", None, "3"]),
        (["1.5", "2", "2"], ["1.5", "2", "2"]),
        (["123456789012345678901", "2", "2"], ["123456789012345678901", "2", "2"]),
        (["oak", "?", "lime"], ["oak", None, "lime"]),
    ],
)
def test_labels(write, labels, expected):
    table = load_csv(
        write("x,kind\n" + "\n".join(f"{i}.5,{label}" for i, label in enumerate(labels))), "kind"
    )
    assert table.target.tolist() == expected
    assert table.target.dtype == (np.int64 if expected == [1, 2, 3] else object)
    assert table.target_name == "kind"
    assert table.feature_names == ["x"]
    assert said(table, f"{labels.count('') + labels.count('?')} missing")


def test_label_by_position_and_its_refusals(write):
    path = write("id,species,x\n1,a,3\n2,b,4\n")
    assert load_csv(path, label=1).target_name == load_csv(path, label=np.int64(-2)).target_name == "species"
    assert load_csv(path, label="id").target.tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"did you mean 'species'\? There are: id, species, x"):
        load_csv(path, label="specie")
    with pytest.raises(ValueError, match="position 3 is outside"):
        load_csv(path, label=3)
    with pytest.raises(ValueError, match="label column 'y' has no value"):
        load_csv(write("x,y\n1,\n2,NA\n"), label="y")


def test_trailing_rows_of_delimiters_are_left_out(write):
    table = load_csv(write("x;y\n1;2\n3;4\n;\n;\n"))
    assert table.data.tolist() == [[1, 2], [3, 4]]
    assert said(table, "Left out 2 row(s)")


@settings(deadline=None, max_examples=50)
@given(
    st.integers(2, 4).flatmap(
        lambda d: st.lists(
            st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=d, max_size=d),
            min_size=2,
            max_size=6,
        )
    ),
    st.sampled_from([(",", "."), (";", ","), ("\t", "."), (";", ".")]),
)
def test_written_numbers_come_back_bit_for_bit(tmp_path_factory, rows, signs):
    path = tmp_path_factory.mktemp("written") / "table.csv"
    delimiter, decimal = signs
    # One value that can only be read in one way settles the decimal sign, as real files have it.
    frame = pd.DataFrame([[0.5] * len(rows[0]), *rows], columns=[f"c{i}" for i in range(len(rows[0]))])
    frame.to_csv(path, sep=delimiter, decimal=decimal, index=False)
    np.testing.assert_array_equal(load_csv(path).data, frame.to_numpy())


def test_prepare_fills_drops_and_says_so():
    data = np.array([[1, 7, NAN, 0.0], [NAN, 7, NAN, 2], [4, NAN, NAN, 5]])
    before = data.copy()
    table = prepare_table(data, ["a", "b", "c", "d"])
    assert table.data.tolist() == [[1, 0], [2.5, 2], [4, 5]]
    assert table.feature_names == ["a", "d"]
    assert table.notes == [
        "Columns without any value dropped: 'c'.",
        "Column 'a': 1 missing value(s) replaced by the median 2.5.",
        "Column 'b': 1 missing value(s) replaced by the median 7.",
        "Constant columns dropped: 'b'.",
    ]
    np.testing.assert_array_equal(data, before)


def test_prepare_scales():
    data = np.random.default_rng(0).normal(3, 9, size=(40, 3))
    data[:, 2] = 0
    data[0, 2] = 8
    standard = prepare_table(data, "abc", scale="standard")
    np.testing.assert_allclose(standard.data.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(standard.data.std(axis=0), 1)
    robust = prepare_table(data, "abc", scale="robust")
    np.testing.assert_allclose(np.median(robust.data, axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(np.subtract(*np.percentile(robust.data[:, :2], [75, 25], axis=0)), 1)
    assert robust.data[0, 2] == 8
    assert said(robust, "range 0, so only centred by the median: 'c'")


@pytest.mark.parametrize(
    ("data", "arguments", "message"),
    [
        ([[1.0, 2.0]], {}, "at least 2 rows"),
        ([[1.0, np.inf], [2, 3]], {}, "row 0, column 'b' is inf"),
        ([[1.0, NAN], [1, NAN]], {}, "no column is left"),
        ([[1.0, 2.0], [3, 4]], {"scale": "minmax"}, "'none', 'standard', 'robust'; got 'minmax'"),
        ([[1.0], [3]], {}, r"2 named columns; its shape is \(2, 1\)"),
    ],
)
def test_prepare_refuses(data, arguments, message):
    with pytest.raises(ValueError, match=message):
        prepare_table(data, ["a", "b"], **arguments)


def test_columns_that_look_like_labels_or_dominate_are_said(write):
    table = load_csv(write("x,y,class\n1,1000,1\n2,5000,2\n3,9000,1\n"))
    assert said(table, "Column 'class' may hold classes")
    prepared = prepare_table(table.data, table.feature_names)
    assert said(prepared, "column 'y' spreads")
    assert not said(prepare_table(table.data, table.feature_names, "standard"), "Nothing was scaled")
