import type { ReactNode } from 'react';
import { numbersTo } from '../../ui/numbers-to.ts';
import { usePageTitle } from '../../ui/page.tsx';
import { Wordmark } from '../../ui/wordmark.tsx';

/** The frame of the pages before the console: water lines running under one card. */
export function SignInFrame({ title, children }: { title: string; children: ReactNode }): ReactNode {
  usePageTitle(title);
  return (
    <main className="relative grid min-h-dvh place-items-center overflow-hidden px-4 py-10">
      <svg
        className="absolute inset-x-0 bottom-0 h-[55%] w-full text-water opacity-25"
        viewBox="0 0 1200 400"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {numbersTo(9).map((line) => (
          <path
            key={line}
            d={`M0 ${60 + line * 38} C 200 ${20 + line * 40}, 400 ${100 + line * 34}, 600 ${60 + line * 38} S 1000 ${20 + line * 40}, 1200 ${70 + line * 37}`}
            fill="none"
            stroke="currentColor"
            strokeWidth={1 + line * 0.35}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
      <div className="card relative w-full max-w-sm bg-raised! p-7 shadow-xl">
        <div className="mb-5 flex items-center gap-2.5">
          <Wordmark className="size-8" />
          <h1 className="text-xl">{title}</h1>
        </div>
        {children}
      </div>
    </main>
  );
}
