/**
 * The command line: `heddle VERB FILES`. One module a verb, loaded when it is requested, so that `heddle dis` starts
 * without the engines. With the worker adapter of the wasm engine this is the only room that uses Node.
 *
 * Invariants: exit code 0 fine, 1 findings, 2 bad usage or unreadable input; results go to standard output or files,
 * messages go to standard error; color and progress only on a terminal.
 * It holds no logic of shaders: a verb calls the library and prints.
 */
export { buildCli } from './program.ts'
