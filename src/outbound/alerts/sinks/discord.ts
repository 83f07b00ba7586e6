// Discord: an incoming webhook. The sentence is the content; the facts and the link are an embed. The sink switches mentions off, so that an id
// cannot notify a whole server.
import { type Compose, factsOf, headline, jsonCall, type Notice } from '../notice.ts';

const colours = { INFO: 0x3b82f6, WARNING: 0xf59e0b, ERROR: 0xdc2626, CRITICAL: 0x7f1d1d } as const;
const RESOLVED = 0x16a34a;

export const composeDiscord: Compose = (notice, { url }) => {
  if (notice.what === 'acknowledge' || notice.what === 'digest_end') return undefined;
  return jsonCall(url, {
    username: 'Millrace',
    content: headline(notice),
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: notice.runId === null ? 'Open in Millrace' : 'Open the run',
        url: notice.link,
        color: notice.what === 'resolve' ? RESOLVED : colours[notice.severity],
        fields: factsOf(notice).map(([name, value]) => ({ name, value, inline: true })),
        timestamp: timeOf(notice).toISOString(),
        footer: { text: notice.dedupKey },
      },
    ],
  });
};

function timeOf({ what, openedAt, resolvedAt }: Notice): Date {
  return what === 'resolve' ? (resolvedAt ?? openedAt) : openedAt;
}
