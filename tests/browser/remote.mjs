// remote.mjs PLAYWRIGHT CHROMIUM: a browser that does what it is told, a JSON object a line, and answers each by one. tests/browser/browser.py speaks to it.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [place, chromium] = process.argv.slice(2);
const playwright = createRequire(import.meta.url)(place);
const browser = await playwright.chromium.launch({ executablePath: chromium, args: ["--no-sandbox", "--no-proxy-server"] });
const pages = new Map(); // by number
let last = 0;

// Whatever a page complains of, or says in a box: a page of ours does neither.
function watch(page, said) {
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && !/Failed to load resource|ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/.test(message.text()) && said.push(message.text()));
  page.on("dialog", (dialog) => (said.push(`a dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on("request", (request) => /^(http:\/\/127\.0\.0\.1[:/]|data:|about:)/.test(request.url()) || said.push(`asks for ${request.url()}`));
}

const commands = {
  async open({ width, height, dark, phone }) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", hasTouch: Boolean(phone), reducedMotion: "reduce" });
    const page = await context.newPage();
    page.setDefaultTimeout(120000);
    const said = [];
    watch(page, said);
    pages.set(++last, { page, context, said });
    return last;
  },
  close: async ({ context }) => context.close(),
  goto: async ({ page }, { url }) => (await page.goto(url)).status(),
  evaluate: ({ page }, { code }) => page.evaluate(code),
  // From outside, as the page's policy lets nothing be evaluated within; a page may be on its way to another.
  async wait({ page }, { code }) {
    const end = Date.now() + 600000;
    for (; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50)))
      try {
        if (await page.evaluate(code)) return;
      } catch (error) {
        if (!/navigat|destroyed|null|undefined/.test(error.message)) throw error;
      }
    throw new Error(`waited for ${code}`);
  },
  click: ({ page }, { what, at }) => page.click(what, at ? { position: { x: at[0], y: at[1] } } : {}),
  fill: ({ page }, { what, text }) => page.fill(what, text),
  select: async ({ page }, { what, value }) => (await page.selectOption(what, value), null),
  press: ({ page }, { key }) => page.keyboard.press(key),
  async drag({ page }, { what, from, to, steps = 1 }) {
    const place = page.locator(what).first();
    await place.scrollIntoViewIfNeeded();
    const box = await place.boundingBox();
    await page.mouse.move(box.x + from[0], box.y + from[1]);
    await page.mouse.down();
    await page.mouse.move(box.x + (from[0] + to[0]) / 2, box.y + (from[1] + to[1]) / 2, { steps });
    await page.mouse.move(box.x + to[0], box.y + to[1], { steps });
    await page.mouse.up();
  },
  // What an address gives from now on, whatever the server says.
  answer: async ({ page }, { url, body }) => (await page.route(url, (route) => route.fulfill({ contentType: "application/json", body })), null),
  // An address (a pattern) answers so many milliseconds later from now on.
  async hold({ page }, { url, ms }) {
    await page.route(url, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      await route.continue().catch(() => null);
    });
    return null;
  },
  shot: async ({ page }, { path, full }) => (await page.screenshot({ path, fullPage: full }), null),
  said: ({ said }) => said,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { do: name, page, ...more } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await (name === "open" ? commands.open(more) : commands[name](pages.get(page), more))) ?? null };
  } catch (error) {
    answer = { error: String(error.message) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
