/** Keys of tab lists: arrows go from tab to tab, Home and End to the ends. */
export function tabKeys(e: KeyboardEvent): void {
  const list = e.currentTarget as HTMLElement
  const tabs = [...list.querySelectorAll<HTMLElement>('[role="tab"]')].filter((t) => t.offsetParent !== null)
  const at = tabs.indexOf(document.activeElement as HTMLElement)
  if (at < 0) return
  const to: Readonly<Record<string, number>> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }
  const next = Object.hasOwn(to, e.key) ? tabs[(to[e.key]! + tabs.length) % tabs.length] : undefined
  if (next === undefined) return
  e.preventDefault()
  next.focus()
  next.click()
}
