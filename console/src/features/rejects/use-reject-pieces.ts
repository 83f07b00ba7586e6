import { useQueries } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { pieceSize, type Reject, rejectsQuery } from './list-rejects.ts';
import { lengthOf, type Piece, piecesOf, rowAt } from './pieces.ts';
import type { RejectSearch } from './reject-search.ts';

/** While somebody drags the scroll bar, what flies past is not asked for. */
const restMs = 60;
const ahead = 60;

/** The refused rows around the view, and how many there are. Rows that are not here yet are undefined. */
export function useRejectPieces(runId: string, search: RejectSearch, counted: number) {
  const [view, setView] = useState({ first: 0, last: 0 });
  const wanted = piecesOf(view.first - ahead, Math.min(view.last + ahead, Math.max(0, counted - 1)), pieceSize);
  const queries = useQueries({ queries: wanted.map((piece) => rejectsQuery(runId, search, piece)) });
  const kept = useRef(new Map<number, Piece<Reject>>());
  const answers = queries.map((query) => query.data);
  // Rows that were here stay, also while their piece is out of sight: scrolling back shows them at once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer is the same object until it changes
  const pieces = useMemo(() => {
    const next = new Map(kept.current);
    for (const [index, answer] of answers.entries())
      if (answer) next.set(wanted[index] ?? 0, { rows: answer.data, isLast: answer.next === null });
    kept.current = next;
    return next;
  }, [wanted.join(), ...pad(answers)]);
  return {
    pieces,
    length: lengthOf(pieces, counted, pieceSize),
    rowAt: (index: number) => rowAt(pieces, index, pieceSize),
    isPending: pieces.size === 0 && queries.some((query) => query.isPending),
    isLoading: queries.some((query) => query.isFetching),
    error: queries.find((query) => query.isError && !query.data)?.error ?? undefined,
    retry: () => queries.forEach((query) => void (query.isError && query.refetch())),
    setView,
  };
}

/** Tells the pieces what is in sight: at once for the next rows, after a rest for a leap. */
export function useSettledView(first: number, last: number, onView: (view: { first: number; last: number }) => void) {
  const told = useRef({ first: 0, last: 0 });
  useEffect(() => {
    const isNear = Math.abs(first - told.current.first) < pieceSize;
    const tell = () => {
      told.current = { first, last };
      onView({ first, last });
    };
    const timer = setTimeout(tell, isNear ? 0 : restMs);
    return () => clearTimeout(timer);
  }, [first, last, onView]);
}

/** A list of dependencies has one length. */
function pad<T>(answers: readonly T[]): (T | undefined)[] {
  return Array.from({ length: 4 }, (_, index) => answers[index]);
}
