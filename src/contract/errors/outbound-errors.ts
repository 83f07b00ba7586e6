// Errors of what goes out: calls to addresses that others chose, webhooks and their deliveries.
import { defineErrors } from './entry.ts';

export const outboundErrors = defineErrors({
  outbound_url_invalid: {
    kind: 'input',
    status: 422,
    message: 'The address cannot be called: {reason}.',
    next: 'Give an http or https address without user name and password in it.',
  },
  outbound_address_refused: {
    kind: 'config',
    status: 422,
    message: 'The host {host} is at a private, local or reserved address, and such are not called.',
    next: 'Give a public address; the operator may allow private ones with ALLOW_PRIVATE_WEBHOOKS.',
  },
  outbound_timeout: {
    kind: 'transient',
    status: 504,
    message: 'The host {host} did not answer within {seconds} s.',
    next: 'It is tried again; see why that server is slow if this goes on.',
  },
  outbound_unreachable: {
    kind: 'transient',
    status: 502,
    message: 'The host {host} could not be reached: {reason}.',
    next: 'It is tried again; check the address and that server if this goes on.',
  },
});
