import { defineConfig } from 'vitest/config'

// Apart from the other tests, since it needs a Chromium and a workbench of VS Code (42 MB): npm run test:vscode.
export default defineConfig({
  test: { include: ['test/workbench/*.web.ts'], testTimeout: 240_000, hookTimeout: 240_000, fileParallelism: false },
})
