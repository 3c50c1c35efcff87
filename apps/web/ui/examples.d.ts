/** The module that the build puts together from `examples/`. */
declare module 'heddle-examples' {
  const examples: readonly unknown[]
  export default examples
}
