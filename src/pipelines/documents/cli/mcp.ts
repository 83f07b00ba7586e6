// `millrace mcp`: the tools of an assistant over standard input and output. It ends when the assistant closes its end.
import type { Command } from 'commander';
import { withConnection } from '../../../cli/connection.ts';
import { tenantOption } from '../../../cli/tenant-option.ts';

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .summary('serve search, ask, pages and runs to an assistant over MCP (Model Context Protocol)')
    .description(
      'Speaks the Model Context Protocol over standard input and output. With MILLRACE_URL and MILLRACE_TOKEN (an API key) it speaks to a server, else to the installation of this machine.',
    )
    .addOption(tenantOption())
    .addHelpText(
      'after',
      '\nExamples:\n  millrace mcp\n  MILLRACE_URL=https://millrace.example MILLRACE_TOKEN=… millrace mcp',
    )
    .action(async (_: object, self: Command) => {
      const { tenant } = self.optsWithGlobals<{ tenant?: string }>();
      await withConnection({ tenant }, async ({ call }) => {
        // Loaded by this command only; the library takes its time.
        const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
        const { createMcpServer } = await import('../../../http/mcp/mcp-server.ts');
        const server = await createMcpServer(call);
        const closed = new Promise<void>((resolve) => {
          process.stdin.once('end', resolve);
          process.stdin.once('close', resolve);
        });
        await server.connect(new StdioServerTransport());
        await closed;
        await server.close();
      });
    });
}
