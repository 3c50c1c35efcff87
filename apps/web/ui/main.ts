/** The page begins: a link, an address, or the first example; then what is needed later is loaded. */
import { isLink } from '../model/link.ts'
import { listenToKeys } from './keys.ts'
import { LaneGridElement } from './parts/lane-grid.ts'
import { Rows } from './parts/rows.ts'
import { applySplit } from './parts/splitter.ts'
import { TexelsElement } from './parts/texels.ts'
import { noteTouches, registerServiceWorker } from './service.ts'
import { Page } from './shell.ts'
import { openFromAddress } from './state/address.ts'
import { examples, openExample } from './state/examples.ts'
import { openLink } from './state/files.ts'
import { store } from './state/store.ts'
import { applyTheme } from './state/theme.ts'
import { runNow } from './state/work.ts'
import { debuggerCalls, engine } from './state/workers.ts'

/** The editor and the engines come after the first listing; from then on nothing is requested from the network. */
async function loadTheRest(): Promise<void> {
  engine.warm()
  debuggerCalls.warm()
  const [{ EditorElement }] = await Promise.all([import('./editor/editor.ts'), examples()])
  customElements.define('heddle-editor', EditorElement)
  store.hasEditor = true
  store.changed()
}

async function begin(): Promise<void> {
  const fragment = location.hash.replace(/^#/, '')
  const address = new URLSearchParams(location.search).get('url')
  if (isLink(fragment)) {
    await openLink(fragment)
    return
  }
  if (address !== null) {
    await openFromAddress(address)
    return
  }
  const [first] = await examples()
  await openExample(first!)
  await runNow()
}

customElements.define('heddle-rows', Rows)
customElements.define('heddle-lane-grid', LaneGridElement)
customElements.define('heddle-texels', TexelsElement)
customElements.define('heddle-page', Page)
noteTouches()
applyTheme()
applySplit()
listenToKeys()
window.addEventListener('hashchange', () => {
  const fragment = location.hash.slice(1)
  if (isLink(fragment)) void openLink(fragment)
})
await begin()
await loadTheRest()
void registerServiceWorker()
document.documentElement.dataset.ready = 'yes'
