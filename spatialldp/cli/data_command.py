"""`python -m spatialldp data …`: which data sets there are, how to get them, where they are kept."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from spatialldp.datasets import download
from spatialldp.datasets.embedded import DATA_FOLDER
from spatialldp.datasets.official import SOURCES, cache_folder, is_intact, rows, source_of
from spatialldp.datasets.registry import DATASETS, DEFAULT_DATASET, dataset

_BAR_WIDTH = 30


def add_parser(commands: Any) -> None:
    """Add the sub-command `data` to the command line."""
    parser = commands.add_parser("data", help="list, download and find data sets")
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="list all data sets, and which of them are on this computer")
    listing.add_argument("--json", action="store_true", help="print everything as JSON, for programs")
    listing.set_defaults(run=_list)
    fetching = actions.add_parser("fetch", help="download an official data set into the cache folder")
    fetching.add_argument(
        "id", metavar="ID", help=f"{' or '.join(SOURCES)} (a part such as -a comes with the whole set)"
    )
    fetching.add_argument("--file", type=Path, help="use an official CSV file that you downloaded yourself")
    fetching.set_defaults(run=_fetch)
    finding = actions.add_parser("path", help="show where a data set or the cache folder is")
    finding.add_argument("id", metavar="ID", nargs="?", help="a data set (default: the cache folder)")
    finding.set_defaults(run=_path)


def _list(options: argparse.Namespace) -> int:
    if options.json:
        print(json.dumps([_entry(name) for name in DATASETS], ensure_ascii=False, indent=1))
        return 0
    width = max(map(len, DATASETS))
    for name, entry in DATASETS.items():
        number = "?" if entry.rows is None else f"{entry.rows:,}"
        default = " (default)" if name == DEFAULT_DATASET else ""
        print(f"{name:<{width}}  {number:>10} rows  {entry.availability:<14}  {entry.title}{default}")
    return 0


def _entry(name: str) -> dict[str, Any]:
    entry = DATASETS[name]
    return {
        "id": name,
        "title": entry.title,
        "city": entry.city,
        "description": entry.description,
        "rows": entry.rows,
        "availability": entry.availability,
        "simulated": entry.simulated,
        "source": entry.source,
        "licence": entry.licence,
        "bounds": entry.bounds,
        "default_view": entry.default_view,
        "crs": entry.crs,
        "default": name == DEFAULT_DATASET,
    }


def _fetch(options: argparse.Namespace) -> int:
    entry = dataset(options.id)
    if entry.download is None:
        print(f"{entry.id} is {entry.availability}: there is nothing to download")
        return 0
    source, bar = source_of(options.id), _Bar()
    already = is_intact(source) and options.file is None
    try:
        if options.file is None:
            path = download.obtain(source, bar.show)
        else:
            path = download.import_csv(source, options.file, bar.show)
    finally:
        bar.end()
    print(f"{source.id}: {rows(source):,} rows, {'already ' if already else ''}at {path}")
    return 0


def _path(options: argparse.Namespace) -> int:
    if options.id is None:
        print(cache_folder())
        return 0
    entry = dataset(options.id)
    if entry.simulated:
        print(f"{entry.id} is generated: it has no file")
    elif entry.download is None:
        print(DATA_FOLDER / "points" / f"{entry.id}.parquet")
    else:
        print(entry.download.path)
    return 0


class _Bar:
    """A progress bar on the error stream: drawn over itself on a terminal, one line per tenth elsewhere."""

    def __init__(self) -> None:
        self._terminal, self._tenth, self._drawn = sys.stderr.isatty(), -1, False

    def show(self, progress: Any) -> None:
        """Draw the state of a download."""
        share = f"{progress.share:4.0%}"
        if self._terminal:
            full = round(progress.share * _BAR_WIDTH)
            bar = "█" * full + "░" * (_BAR_WIDTH - full)
            print(f"\r{bar} {share}  {progress.note:<60.60}", end="", file=sys.stderr, flush=True)
            self._drawn = True
        elif int(progress.share * 10) > self._tenth or progress.retrying:
            self._tenth = int(progress.share * 10)
            print(f"{share}  {progress.note}", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line."""
        if self._drawn:
            print(file=sys.stderr)
