"""Text tables: read in blocks, in any spelling that is clear, refused where it is not."""

import tracemalloc
import zipfile

import numpy as np
import pytest

import dalembert as da
from dalembert.measure import table as tables
from dalembert.measure import text
from dalembert.measure.table import read_table

HEAD = "t,q.shoulder,q.elbow"
ROWS = [f"{0.01 * k:.2f},{0.1 * k:.2f},{-0.3 * k:.2f}" for k in range(40)]
TRUE = np.array([[float(x) for x in row.split(",")] for row in ROWS])


def read(tmp_path, data, name="a.csv"):
    file = tmp_path / name
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_table(file)


def plain(sign=",", point=".", end="\n"):
    lines = [HEAD.replace(",", sign)]
    lines += [row.replace(".", point).replace(",", sign) if point == "." else
              row.replace(",", sign).replace(".", point) for row in ROWS]  # fmt: skip
    return end.join([*lines, ""])


SPELLINGS = {
    "plain": plain(),
    "no last line end": plain().rstrip("\n"),
    "semicolons": plain(";"),
    "tabs": plain("\t"),
    "decimal commas": plain(";", ","),
    "carriage returns": plain(end="\r\n"),
    "old carriage returns": plain(end="\r"),
    "a mark of its encoding": b"\xef\xbb\xbf" + plain().encode(),
    "Excel's first line": "sep=;\r\n" + plain(";", ",", "\r\n"),
    "remarks and blank lines": HEAD + "\n# from the rig\n\n" + "\n\n".join(ROWS),
    "remarks first": "# rig 3\n#\n" + plain(),
    "heads behind the mark of a remark": "# " + plain(),
    "a comma at each end": plain(end=",\n"),
    "quoted heads": '"t","q.shoulder","q.elbow"\n' + "\n".join(ROWS),
}


@pytest.mark.parametrize("block", [64, 2**22])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings_that_are_clear_give_the_same_numbers(tmp_path, monkeypatch, spelling, block):
    monkeypatch.setattr(text, "BLOCK", block)
    table = read(tmp_path, SPELLINGS[spelling])
    assert table.heads == ("t", "q.shoulder", "q.elbow")
    np.testing.assert_array_equal(np.stack([*table.columns.values()], axis=1), TRUE)
    told = "commas within numbers were read as decimal points" in table.notes
    assert told == (spelling in ("decimal commas", "Excel's first line"))


UNCLEAR = {
    "6 values, 3 heads": HEAD + "\n" + "0,01,0,1,0,2\n" * 20,  # decimal commas between commas
    "4 values, 3 heads": HEAD + "\n" + "0,1,2\n" * 20 + "0,1,2,3\n",
    "2 values, 3 heads": HEAD + "\n" + "0,1,2\n" * 20 + "0,1\n",
    "'0,00' in column 't' is not a number": plain(";", ",") + "0.4;0.1;0.2\n",
    "'１.0' in column 'q.elbow' is not a number": HEAD + "\n0,1,１.0\n",
    "'1_0' in column 'q.elbow' is not a number": HEAD + "\n0,1,1_0\n",
    "'0x10' in column 'q.elbow' is not a number": HEAD + "\n0,1,0x10\n",
    "'2#3' in column 'q.elbow' is not a number": HEAD + "\n0,1,2#3\n",
    "column 'q.elbow' is infinite": HEAD + "\n0,1,2\n0,1,1e999\n",
    "is not a number": HEAD + "\n0,1," + "9" * 100_000 + "x\n",
    "field larger": HEAD + "\n0,1," + "9" * 200_000 + "x\n",
    "the file is UTF-16": plain().encode("utf-16"),
    "byte 3 is not UTF-8": b"t,\xb0,q\n0,1,2\n".replace(b"t,", b"t,x", 1),
    "column 2 has no head": "t,,q.elbow\n0,1,2\n",
    "two columns are called 'q.elbow'": "t,q.elbow,q.elbow\n0,1,2\n",
    "two columns are called 'nan'": "nan,nan,nan\n0,1,2\n",
    "the first line holds a number": "nan,0.5,nan\n0,1,2\n",
    "blanks part the columns": "t q.shoulder q.elbow\n0 1 2\n",
    "the first line is empty": "\n\n0,1,2\n",
    "no rows": HEAD + "\n\n\n# nothing\n",
    "unexpected end|is not a number": HEAD + '\n0,1,"2\n3,4,5\n',
}


@pytest.mark.parametrize("message", UNCLEAR)
def test_what_is_not_clear_is_refused_where_it_stands(tmp_path, message):
    with pytest.raises(da.DescriptionError, match=message):
        read(tmp_path, UNCLEAR[message])


@pytest.mark.parametrize("block", [64, 2**22])
def test_a_bad_line_is_named_whatever_the_blocks(tmp_path, monkeypatch, block):
    monkeypatch.setattr(text, "BLOCK", block)
    data = HEAD + "\n\n" + "\n".join(ROWS[:20]) + "\n\n0.2,x,1\n"
    with pytest.raises(da.DescriptionError, match=r"a\.csv:24"):
        read(tmp_path, data)


def test_commas_and_points_in_one_file_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "BLOCK", 64)
    with pytest.raises(da.DescriptionError, match="some numbers are written 0,5"):
        read(tmp_path, plain(";", ",") + "0.4;0.1;0.2\n")


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "BLOCK", 2**10)
    monkeypatch.setattr(text, "LONGEST", 2**12)
    with pytest.raises(da.DescriptionError, match="a line is longer than"):
        read(tmp_path, HEAD + "," * 10_000)


@pytest.mark.parametrize("name", ["a.json", "a.sto", "a.trc", "a.c3d"])
def test_files_that_are_too_large_are_refused_unread(tmp_path, name):
    file = tmp_path / name
    with open(file, "wb") as stream:
        stream.truncate(2**30 + 1)  # a hole, which takes no place on the disk
    with pytest.raises(da.DescriptionError, match=r"the file has 1\.0 GiB"):
        read_table(file)


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "a.npz"
    np.savez_compressed(file, t=np.zeros(10_000), q=np.zeros((10_000, 2)))
    assert len(read_table(file)) == 10_000
    monkeypatch.setattr(tables, "LARGEST_NPZ", 2**16)
    with pytest.raises(da.DescriptionError, match="the arrays have"):
        read_table(file)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("t.npy", b"not an array")
    with pytest.raises(da.DescriptionError, match="NPZ"):
        read_table(file)


def test_memory_is_that_of_the_numbers(tmp_path):
    """A table of 6 MB of text with 0.6 M numbers, 5 MB: text and its copies took 60 MB."""
    file = tmp_path / "a.csv"
    rows = "\n".join(f"{k},{0.5 * k},{0.25 * k}" for k in range(200_000))
    file.write_text(HEAD + "\n" + rows)
    read_table(file)
    tracemalloc.start()
    table = read_table(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(table) == 200_000
    assert peak < 4 * 8 * 600_000 + 4 * text.BLOCK


def test_angles_in_degrees_stay_degrees_where_a_column_is_mapped(tmp_path):
    pytest.importorskip("scipy")
    m = da.load("shoulder: RZ(), TXK(1), elbow: RZ(); body 1: M = 1, D = (1, 0, 0); body 2: M = 1;")
    rows = "\n".join(row.replace(",", "\t") for row in ROWS)
    file = tmp_path / "a.sto"
    file.write_text("x\ninDegrees=yes\nendheader\n\ntime\tshoulder\tknee\n" + rows)
    for columns in ({"elbow": "knee"}, {"elbow": "knee:deg"}, {"elbow": "knee:deg:-:-"}):
        d = da.read_motion(file, m, columns=columns)
        np.testing.assert_allclose(d.q, np.deg2rad(TRUE[:, 1:]), atol=1e-6)
    d = da.read_motion(file, m, columns={"elbow": "knee:rad"})
    np.testing.assert_allclose(d.q[:, 1], TRUE[:, 2], atol=1e-5)


def test_a_head_that_may_be_that_of_times_is_offered(tmp_path):
    with pytest.raises(da.DescriptionError) as caught:
        read(tmp_path, "t_ms,q.elbow\n0,1\n").times()
    assert '--columns "t=t_ms:ms"' in caught.value.command
    with pytest.raises(da.DescriptionError) as caught:
        read(tmp_path, "Time [s],q.elbow\n0,1\n").times()
    assert "columns={'t': 'Time [s]'}" in caught.value.hint


def test_a_map_may_name_a_head_as_the_file_writes_it(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("#time,q.j1\n" + "".join(f"{k / 100},{k / 1000}\n" for k in range(50)))
    d = da.read_motion(file, da.load("RZ(), TXK(0.5);"), columns={"t": "#time"})
    assert d.t[-1] == 0.49 and len(d.q) == 50


def test_heads_behind_a_hash_are_read_where_the_first_cell_is_a_gap(tmp_path):
    table = read(tmp_path, "# t,q.shoulder,q.elbow\n,1,2\n1,2,3\n")
    assert table.heads == ("t", "q.shoulder", "q.elbow") and np.isnan(table.columns["t"][0])
