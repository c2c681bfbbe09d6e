"""Tables as people have them: imported once, never a wrong number, and what is wrong is named in one line."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Folder, check, main, problem  # noqa: E402


def folder_with_study():
    folder = Folder()
    folder.write("s.yaml", problem("s", [], budget=50))
    return folder


def test_the_same_file_twice():
    with folder_with_study() as folder:
        rows = [f"0.{k},0.5,{k},-1" for k in range(1, 10)]
        folder.write("in.csv", "x,y,f,c\n" + "\n".join(rows) + "\n")
        check(folder.ckg("import", "s.yaml", "in.csv", expect=0).out == "9 trials imported\n")
        said = folder.ckg("import", "s.yaml", "in.csv", expect=0).out
        check(said == "9 rows are already there; nothing imported (--again imports them as repetitions)\n", said)
        check(len(folder.trials("s.yaml")) == 9)

        # A file that has grown brings what is new; its own repetitions count as often as they stand there.
        folder.write("in.csv", "x,y,f,c\n" + "\n".join([*rows, "0.5,0.5,5,-1", "0.5,0.5,5.25,-1"]) + "\n")
        said = folder.ckg("import", "s.yaml", "in.csv", expect=0).out
        check(said == "2 trials imported, 9 already there skipped (--again imports them too)\n", said)
        check("11 rows are already there" in folder.ckg("import", "s.yaml", "in.csv", expect=0).out)
        folder.ckg("import", "s.yaml", "in.csv", "--again", expect=0)
        check(len(folder.trials("s.yaml")) == 22)
        folder.ckg("undo", "s.yaml", expect=0)
        check(len(folder.trials("s.yaml")) == 11)


def test_what_was_exported_is_there():
    """With standard deviations, failures and discarded trials."""
    with folder_with_study() as folder:
        folder.write("in.csv", "x,y,f,c,f.sd,state,why\n0.1,0.2,1,-1,0.5,,\n0.3,0.4,,,,failed,spilt\n0.5,0.6,2,,,,\n")
        folder.ckg("import", "s.yaml", "in.csv", expect=0)
        folder.ckg("discard", "s.yaml", 3, expect=0)
        (folder / "out.csv").write_text(folder.ckg("export", "s.yaml", expect=0).out)
        said = folder.ckg("import", "s.yaml", "out.csv", expect=0).out
        check(said.startswith("2 rows are already there"), said)
        said = folder.ckg("import", "s.yaml", "in.csv", expect=0).out
        check(said.startswith("3 rows are already there"), said)


def test_semicolons_tabs_and_decimal_commas():
    for text in ("x;y;f;c\n0,25;0,5;1,5e-3;-1\n0,75;1;2;\n", "\ufeffx\ty\tf\tc\n0,25\t0,5\t1,5e-3\t-1\n0,75\t1\t2\t\n",
                 "x;y;f;c\r\n0.25;0.5;0.0015;-1\r\n0.75;1;2;\r\n", 'x;"y";f;c\n"0,25";0,5;0,0015;-1\n0,75;1;2;\n'):
        with folder_with_study() as folder:
            folder.write("in.csv", text)
            folder.ckg("import", "s.yaml", "in.csv", expect=0)
            trials = folder.trials("s.yaml")
            check([t["parameters"] for t in trials] == [{"x": 0.25, "y": 0.5}, {"x": 0.75, "y": 1}], text, trials)
            check([t["values"] for t in trials] == [{"f": 0.0015, "c": -1}, {"f": 2}], text, trials)


def test_what_is_wrong_is_named():
    for text, words in (("x;y;f;c\n0,25;0.5;1;-1\n", ("in.csv:2", "x = '0,25' has a comma, while others have a point")),
                        ('x,y,f,c\n"0,25",1,1,-1\n', ("in.csv:2", "x = '0,25' has a comma", "points")),
                        ("x,y,f,c\n0,25,0,5,1,-1\n", ("in.csv:2", "6 fields, but the header has 4", "semicolons")),
                        ("x;y;f;c\n0,1,2;1;1;-1\n", ("in.csv:2", "'0,1,2'")),
                        ("x;y;f;c\n1.234,5;1;1;-1\n", ("in.csv:2", "'1.234,5'")),
                        ("x,f,c\n0.5,1,-1\n", ("in.csv:1", "there is no column 'y'")),
                        ("f,c\n1,-1\n", ("in.csv:1", "there is no column 'x', 'y'")),
                        ("x,y,f,c\n0.5,,1,-1\n", ("in.csv:2", "parameter 'y' has no value")),
                        ("x,y,f,c\n0.5,0.5,NA,-1\n", ("in.csv:2", "f = 'NA' is not a finite number", "leave the field empty"))):
        with folder_with_study() as folder:
            folder.write("in.csv", text)
            folder.ckg("import", "s.yaml", "in.csv", expect=2).one_line(*words)
            check(folder.trials("s.yaml") == [], text)


def test_an_outcome_without_a_column_is_said():
    with folder_with_study() as folder:
        folder.write("in.csv", "x,y,f\n0.5,0.5,1\n")
        result = folder.ckg("import", "s.yaml", "in.csv", expect=0)
        check(result.out == "1 trial imported\n", result.out)
        result.one_line("no row has a value of 'c'")


if __name__ == "__main__":
    main(globals())
