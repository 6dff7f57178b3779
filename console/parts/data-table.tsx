// The table of the console. Heads sort it, and numbers are aligned right. It draws rows only when
// they are scrolled into view, so that a thousand rows cost no more than a screen.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "../data/text.js";
import { kept } from "./kept.js";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Sort key; absent: the column cannot be sorted. */
  readonly sort?: (row: Row) => number | string;
  readonly isNumber?: boolean;
  /** Identifies the row. */
  readonly isHead?: boolean;
  /** Hidden on phones. */
  readonly isOptional?: boolean;
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly rowClass?: (row: Row) => string;
  readonly isSelected?: (row: Row) => boolean;
  readonly empty: string;
  /** Cells depend only on their row, so an unchanged row object is not drawn again. */
  readonly isPure?: boolean;
}

/** Number of rows drawn at once; scrolling draws more. */
const STEP = 40;

interface Order {
  readonly title: string;
  readonly isDown: boolean;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, rowClass, isSelected, empty } = props;
  const Line = props.isPure ? MemoizedRow : DrawnRow;
  const [order, setOrder] = useState<Order | null>(null);
  const [drawn, setDrawn] = useState(STEP);
  const shown = sortRows(rows, columns, order).slice(0, drawn);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section class={props.isPure ? "tw far" : "tw"} tabIndex={0} aria-label={`${label}, table`}>
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.title} column={column} order={order} onOrder={setOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Line
              key={keyOf(row)}
              columns={columns as readonly Column<unknown>[]}
              row={row}
              name={rowClass?.(row)}
              isSelected={isSelected?.(row)}
            />
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="soft none">{empty}</p>}
      {rows.length > drawn && (
        <MoreRows left={rows.length - drawn} onMore={() => setDrawn(drawn + STEP)} />
      )}
    </section>
  );
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly order: Order | null;
  readonly onOrder: (order: Order) => void;
}

function Head<Row>({ column, order, onOrder }: HeadProps<Row>) {
  const { title, sort, isNumber = false, isOptional = false } = column;
  const isOrder = order?.title === title;
  const name = `${isNumber ? "n" : ""}${isOptional ? " opt" : ""}`;
  const direction = isOrder ? (order.isDown ? "descending" : "ascending") : undefined;
  return (
    <th scope="col" class={name} aria-sort={direction}>
      {sort === undefined ? (
        title
      ) : (
        <button
          type="button"
          onClick={() => onOrder({ title, isDown: isOrder ? !order.isDown : isNumber })}
        >
          {title}
        </button>
      )}
    </th>
  );
}

interface RowProps {
  readonly columns: readonly Column<unknown>[];
  readonly row: unknown;
  readonly name: string | undefined;
  readonly isSelected: boolean | undefined;
}

function DrawnRow({ columns, row, name, isSelected }: RowProps) {
  return (
    <tr class={name} aria-selected={isSelected}>
      {columns.map((column) => (
        <Cell key={column.title} column={column} row={row} />
      ))}
    </tr>
  );
}

const MemoizedRow = kept(DrawnRow);

function Cell<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const { cell, isNumber = false, isHead = false, isOptional = false } = column;
  const name = `${isNumber ? "n" : ""}${isOptional ? " opt" : ""}`;
  if (isHead) return <th scope="row">{cell(row)}</th>;
  return <td class={name}>{cell(row)}</td>;
}

function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Order | null,
): readonly Row[] {
  const sortKey = columns.find(({ title }) => title === order?.title)?.sort;
  if (sortKey === undefined) return rows;
  const sign = order!.isDown ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [left, right] = [sortKey(a), sortKey(b)];
    return left < right ? -sign : left > right ? sign : 0;
  });
}

/** Draws more rows when it is scrolled into view; also a button, for keyboards. */
function MoreRows({ left, onMore }: { readonly left: number; readonly onMore: () => void }) {
  const mark = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && onMore());
    watch.observe(mark.current!);
    return () => watch.disconnect();
  }, [onMore]);
  return (
    <div class="none" ref={mark}>
      <button type="button" class="btn" onClick={onMore}>
        Show more of {count(left)}
      </button>
    </div>
  );
}
