import type { AddressInfo } from 'node:net'
import { type DapFlags, nodeAdapterHost } from '../debugger/dap-host.ts'
import { serveSockets, serveStream } from '../debugger/dap-streams.ts'
import { EXIT } from '../exit.ts'
import { systemReason } from '../files.ts'
import { printMessage } from '../print.ts'
import { printError } from '../terminal.ts'

interface DapVerbOptions extends DapFlags {
  readonly port?: string
}

const MAX_PORT = 65535

/** `heddle dap`: standard input and output, or a port of this computer. Ends with its input. */
export async function dap({ port, ...flags }: DapVerbOptions): Promise<void> {
  if (port === undefined) {
    // Nothing but the protocol may go to standard output.
    serveStream(process.stdin, (bytes) => process.stdout.write(bytes), nodeAdapterHost(flags))
    return
  }
  const number = Number(port)
  if (!/^\d+$/.test(port) || number > MAX_PORT) {
    printError(`--port takes a number from 0 to ${MAX_PORT}; ${port} was given`)
    process.exitCode = EXIT.usage
    return
  }
  try {
    const server = await serveSockets(number, () => nodeAdapterHost(flags))
    printMessage(`listening on port ${(server.address() as AddressInfo).port} of this computer\n`)
  } catch (e) {
    printError(`cannot listen on port ${port}: ${systemReason(e)}`)
    process.exitCode = EXIT.usage
  }
}
