"""JUnit XML: a suite a path, a test case a finding (one that passes where there is none).

A finding at or above --fail-on is a failure, one below is skipped, a crashed rule is an error. Characters that XML 1.0 does not have are
spelt out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from ..plain import plain
from .concise import headline

if TYPE_CHECKING:
    from ..linted import Linted, Place, Run

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(run: Run) -> str:
    """The document."""
    root = ElementTree.Element("testsuites", name="xfcheck")
    for file in run.files:
        _suite(root, file)
    for problem in run.problems:
        suite = ElementTree.SubElement(root, "testsuite", name="xfcheck", tests="1", failures="0", errors="1", skipped="0")
        case = ElementTree.SubElement(suite, "testcase", name="path", classname="xfcheck")
        ElementTree.SubElement(case, "error", message=_legal(problem), type="usage")
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(root: ElementTree.Element, file: Linted) -> None:
    path = _legal(file.config)
    suite = ElementTree.SubElement(root, "testsuite", name=path)
    if not file.places:
        ElementTree.SubElement(suite, "testcase", name="clean", classname=path)
    kinds = [_case(suite, place, file) for place in file.places]
    suite.set("tests", str(max(1, len(kinds))))
    for key, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(kinds.count(kind)))


def _case(suite: ElementTree.Element, place: Place, file: Linted) -> str:
    finding = place.finding
    at = "" if finding.line is None else f":{finding.line}:{finding.column}"
    case = ElementTree.SubElement(suite, "testcase", name=_legal(f"{finding.code} {finding.name}{at}"), classname=_legal(place.path))
    if finding.line is not None:
        case.set("line", str(finding.line))
    kind = "error" if finding.code == "XF900" else "failure" if file.fails(finding) else "skipped"
    told = ElementTree.SubElement(case, kind, message=_legal(finding.message))
    if kind != "skipped":
        told.set("type", finding.severity)
        told.text = _legal(headline(place) + (f"  help: {finding.help}" if finding.help else ""))
    return kind


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", plain(text))
