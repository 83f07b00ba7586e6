import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { runPartsOf } from '../../pipelines/all.ts';
import { Button } from '../../ui/button.tsx';
import { returnFile } from '../tray/tray-store.ts';

/** The downloaded rejects, corrected in a spreadsheet, go back to the run they came from. */
export function ReuploadButton({ run }: { run: RunDetail }): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const take = async (file: File | undefined) => {
    if (!file) return;
    const fields = { ...runPartsOf(run.pipeline).returnFields?.(run), corrects: run.run_id };
    const answer = await returnFile(file, { pipeline: run.pipeline, fields });
    if (answer)
      await navigate({ to: '/r/$runId/rejects', params: { runId: run.run_id }, search: { replay: answer.upload_id } });
  };
  return (
    <>
      <Button small icon="upload" onClick={() => input.current?.click()}>
        Upload corrected CSV
      </Button>
      <input
        ref={input}
        type="file"
        accept=".csv,text/csv"
        className="hidden"
        onChange={(event) => {
          void take(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
    </>
  );
}
