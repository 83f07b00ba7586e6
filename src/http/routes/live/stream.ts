// GET /v1/events/stream
import { handle } from '../../call.ts';
import { streamEvents } from '../../live/event-stream.ts';

export const liveStream = handle('live.stream', (call) => streamEvents(call, undefined));
