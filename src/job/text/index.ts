/**
 * Run descriptions as people read them, apart from the rest of `job`: the page's first code needs this alone.
 *
 * Invariants: the text parses to the value that it was made from. It reads nothing and checks nothing.
 */
export { descriptionText } from './description.ts'
