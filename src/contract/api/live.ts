// The live feed: the outbox of a tenant or of one run, over Server-Sent Events or WebSocket, resumable by position.
import { z } from 'zod';
import { allow, type Role } from './roles.ts';
import { defineRoutes, socket, stream } from './route.ts';
import { Id, Position, Several } from './values.ts';

const readers: readonly Role[] = ['admin', 'user', 'service'];

const Follow = z.object({
  after: Position.optional().describe('Resume after this position; the header Last-Event-ID says the same and wins.'),
  type: Several.optional(),
});

const notes =
  'Each message carries the event’s position as its id and a RunEvent as data. A comment keeps the line alive every 15 s. ' +
  'A reader that falls too far behind is told so (event "dropped") and closed; resume with the last id.';

export const liveRoutes = defineRoutes({
  'live.stream': {
    tag: 'Live',
    summary: 'Follow the events of the tenant (Server-Sent Events)',
    notes,
    access: allow(readers, 'runs:read'),
    query: Follow,
    answer: stream,
  },
  'live.run-stream': {
    tag: 'Live',
    summary: 'Follow the events of one run (Server-Sent Events)',
    notes,
    access: allow(readers, 'runs:read'),
    params: z.object({ run_id: Id }),
    query: Follow,
    answer: stream,
    errors: ['run_not_found'],
  },
  'live.socket': {
    tag: 'Live',
    summary: 'Follow events over a WebSocket',
    notes: 'Same feed as the streams: one JSON RunEvent per message.',
    access: allow(readers, 'runs:read'),
    query: Follow.extend({ run_id: Id.optional() }),
    answer: socket,
  },
});
