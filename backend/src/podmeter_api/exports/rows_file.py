"""The results table as a file for notebooks: CSV or Parquet, a row for each measurement."""

import tempfile
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import islice
from typing import IO, Annotated, Any

from fastapi import Query, Response
from fastapi.responses import StreamingResponse

from podmeter.results.rows import FOLLOWING, LEADING, Row, cells, header
from podmeter.services.exports import csv_text
from podmeter.services.exports.results_table import ResultsTable
from podmeter_api.exports.files import disposition

#: So many rows are written at once, and are a row group of Parquet.
_PORTION = 50_000
#: What is kept in memory of a file; the rest of a larger one lies on disk until it is sent.
_IN_MEMORY = 8 * 2**20
_CHUNK = 2**16


class RowsFormat(StrEnum):
    """What rows can be exported as."""

    CSV = "csv"
    PARQUET = "parquet"


MEDIA_TYPES = {
    RowsFormat.CSV: "text/csv; charset=utf-8; header=present",
    RowsFormat.PARQUET: "application/vnd.apache.parquet",
}
RowsFormatQuery = Annotated[
    RowsFormat, Query(alias="format", description="csv neutralises what a spreadsheet might run")
]
#: For OpenAPI: the answer is a file of one of these types.
RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file",
        "content": {
            media_type.partition(";")[0]: {"schema": {"type": "string", "format": "binary"}}
            for media_type in MEDIA_TYPES.values()
        },
    }
}


def rows_file(table: ResultsTable, format_: RowsFormat) -> Response:
    """The table as a file, written before any of it is sent: its rows are read in this request."""
    file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 (sent, then closed)
    try:
        _WRITERS[format_](table, file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    headers = disposition(f"{table.name} rows", format_.value)
    return StreamingResponse(_sent(file), media_type=MEDIA_TYPES[format_], headers=headers)


def _write_csv(table: ResultsTable, file: IO[bytes]) -> None:
    columns = list(table.axes), table.labels
    file.write(csv_text.lines([header(*columns)]).encode())
    for portion in _portions(table.rows):
        file.write(csv_text.lines(cells(row, *columns) for row in portion).encode())


def _write_parquet(table: ResultsTable, file: IO[bytes]) -> None:
    # Large, and seldom needed.
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, whole = pa.dictionary(pa.int32(), pa.string()), pa.int64()
    types = dict.fromkeys((*LEADING, *FOLLOWING), text)
    types |= {"round": whole, "trial": whole, "value": pa.float64()}
    numeric = {
        axis: all(isinstance(value, int) for value in values) for axis, values in table.axes.items()
    }
    types |= {axis: whole if numeric[axis] else text for axis in table.axes}
    axes, labels = list(table.axes), table.labels
    # What has no type of its own is a label.
    schema = pa.schema([(name, types.get(name, text)) for name in header(axes, labels)])
    written = [name for name, is_number in numeric.items() if not is_number]
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for portion in _portions(table.rows):
            columns = dict(
                zip(
                    schema.names,
                    zip(*(cells(row, axes, labels) for row in portion), strict=True),
                    strict=True,
                )
            )
            for axis in written:
                columns[axis] = tuple(None if at is None else str(at) for at in columns[axis])
            writer.write_table(pa.table(columns, schema=schema))


def _portions(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while portion := list(islice(rows, _PORTION)):
        yield portion


def _sent(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(_CHUNK):
            yield chunk


_WRITERS: dict[RowsFormat, Callable[[ResultsTable, IO[bytes]], None]] = {
    RowsFormat.CSV: _write_csv,
    RowsFormat.PARQUET: _write_parquet,
}
