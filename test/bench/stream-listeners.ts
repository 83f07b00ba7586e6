// A thousand readers of the live feed in a process of their own. Told the address, it says when all are connected, then how long
// after its making each event reached each reader.
import { connect } from 'node:net';

interface Order {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly count: number;
}

process.once('message', (order: Order) => {
  let connected = 0;
  const late: number[] = [];
  for (let n = 0; n < order.count; n++) {
    const socket = connect(order.port, order.host, () => {
      socket.write(
        `GET /v1/events/stream?type=bench.tick HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${order.token}\r\n\r\n`,
      );
    });
    let isOpen = false;
    socket.on('data', (chunk) => {
      const text = chunk.toString();
      if (!isOpen && text.includes('retry:')) {
        isOpen = true;
        connected += 1;
        if (connected === order.count) process.send?.({ connected });
      }
      for (const match of text.matchAll(/"made_at":(\d+(?:\.\d+)?)/g)) late.push(Date.now() - Number(match[1]));
    });
    socket.on('error', () => undefined);
  }
  process.on('message', () => process.send?.({ late: late.splice(0) }));
});
