"""Fixtures of the tests of Scripts/without-objective-c and Scripts/build-with-corebluetooth."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Scripts"))

from objective_c.project import Project  # noqa: E402


class Rewritten:
    """Sources after the rules: `text` of the only one or the first, `texts` of all, and the places that need an edit."""

    def __init__(self, *sources):
        contents = {f"{number}.swift": source if isinstance(source, bytes) else source.encode() for number, source in enumerate(sources)}
        project = Project(contents)
        self.contents = list(project.rewrite().values())
        self.texts = [content.decode("utf-8", "surrogateescape") for content in self.contents]
        self.text = self.texts[0]
        self.places = [(finding.path, finding.line) for finding in project.findings]
        self.sentences = [finding.sentence for finding in project.findings]
        self.counts = dict(project.counts)
        # An error of the compiler has the line of the original.
        for source, content in zip(contents.values(), self.contents):
            before, after = source.count(b"\n"), content.count(b"\n")
            assert after == before or after > before and content.rstrip().endswith(b"import SelectorNames")


@pytest.fixture
def rewritten():
    return Rewritten


@pytest.fixture
def unchanged():
    """Asserts that sources stay as they are, without a sentence."""

    def check(*sources):
        found = Rewritten(*sources)
        assert found.contents == [source if isinstance(source, bytes) else source.encode() for source in sources]
        assert found.sentences == []

    return check
