// Slack: an incoming webhook. `text` is the sentence (what notifications show), blocks repeat it with the facts and the link.
import { type Compose, factsOf, headline, jsonCall } from '../notice.ts';

export const composeSlack: Compose = (notice, { url }) => {
  if (notice.what === 'acknowledge' || notice.what === 'digest_end') return undefined;
  const text = escapeText(headline(notice));
  const facts = factsOf(notice).map(([name, value]) => `*${name}:* ${escapeText(value)}`);
  const button = notice.runId === null ? 'Open in Millrace' : 'Open the run';
  return jsonCall(url, {
    text,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `${text}\n<${notice.link}|${button}>` } },
      { type: 'context', elements: [{ type: 'mrkdwn', text: facts.join('  ·  ') }] },
    ],
  });
};

/** Slack's three control characters: without them no mention and no link can be made. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
