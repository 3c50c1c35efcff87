/** The environment variable by which a process recognizes that another one of this command line started it. */
export const CHILD_VARIABLE = 'HEDDLE_CHILD'

/** Whether this process is one of several that another started: it then prints what `forkFiles` reads. */
export function isChild(): boolean {
  return process.env[CHILD_VARIABLE] === '1'
}
