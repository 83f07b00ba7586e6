import { type ReactNode, useEffect, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { useDrop } from './use-drop.ts';

const leftAfterMs = 300;

/** A file dropped anywhere in the window counts. A place that takes files itself says so with its own handler. */
export function WindowDrop({ mayUpload }: { mayUpload: boolean }): ReactNode {
  const take = useDrop();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    // While something hovers, the browser says so every few hundred milliseconds; it does not reliably say when it has left.
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      clearTimeout(timer);
      setOver(true);
      timer = setTimeout(() => setOver(false), leftAfterMs);
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Else the browser would leave the console and show the file.
      event.preventDefault();
      setOver(false);
      if (mayUpload) take([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener('dragover', onOver);
    window.addEventListener('drop', onDrop);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('drop', onDrop);
    };
  }, [mayUpload, take]);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-2 z-50 grid place-items-center rounded-xl border-2 border-dashed border-water bg-water-soft/70">
      <p className="flex items-center gap-2 rounded-lg bg-raised px-4 py-2 text-lg font-semibold shadow-lg">
        <Icon name={mayUpload ? 'drop' : 'stop'} />
        {mayUpload ? 'Drop to upload' : 'Your role may not upload files'}
      </p>
    </div>
  );
}
