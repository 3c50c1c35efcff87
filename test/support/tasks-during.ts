/** How many other tasks of the host run while a work does. */
export async function tasksDuring(work: () => Promise<unknown>): Promise<number> {
  let tasks = 0
  let isDone = false
  const other = (): void => {
    tasks++
    if (!isDone) setImmediate(other)
  }
  setImmediate(other)
  await work()
  isDone = true
  return tasks
}
