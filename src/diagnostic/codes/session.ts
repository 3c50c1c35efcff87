import type { CodeInfo } from './code-info.ts'

/** Codes of debug sessions: of requests by front ends of the debugger. */
export const SESSION_CODES = {
  'session-expression': {
    severity: 'error',
    title: 'Expression that gives nothing here',
    explanation:
      'A watch, a condition or a command has an expression that cannot be read, or that names something which is not there at this moment: variables have values between their first write and their last use, threads run while their group is in flight.',
  },
  'session-command': {
    severity: 'error',
    title: 'Command that makes no sense',
    explanation:
      'There is no such command, or what follows it is not what it takes. The command `help` lists all commands, `help NAME` explains one with examples.',
  },
  'session-frame': {
    severity: 'error',
    title: 'Command of a frame that cannot be debugged',
    explanation:
      'The debugger steps through one draw or dispatch of a frame. Choose it with --command N, counted from 0 among all commands of the frame; the commands before it run first. Clears, copies and writes are carried out and have nothing to step through.',
  },
  'session-expectation': {
    severity: 'error',
    title: 'Expectation of a script that does not hold',
    explanation:
      'A script of the debugger says with `expect` what holds at a stop. The message has the line of the script, what was expected and what there is. Scripts run forward and then backward: an expectation may also fail on the way back, which is a fault of the debugger.',
  },
} as const satisfies Record<string, CodeInfo>
