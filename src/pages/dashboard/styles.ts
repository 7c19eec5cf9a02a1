/** The dashboard's style sheet. Colours meet WCAG AA contrast in both schemes. */
export const DASHBOARD_STYLES = `
:root{color-scheme:light dark;--page:#f5f6f8;--card:#fff;--text:#171a21;--soft:#535a68;--line:#dfe2e8;--accent:#1c5bd0;--on-accent:#fff;--tint:#eef3fd;--good:#10693b;--good-soft:#e3f4ea;--bad:#a8221a;--bad-soft:#fdecea;--warn:#7a4f00;--warn-soft:#fff3d6}
@media (prefers-color-scheme:dark){:root{--page:#0f1115;--card:#181b21;--text:#eceef2;--soft:#a8afbb;--line:#2c3139;--accent:#8db4ff;--on-accent:#0b1526;--tint:#1b2638;--good:#7bd8a2;--good-soft:#12301f;--bad:#ffb0a8;--bad-soft:#3d1a17;--warn:#f3cd7a;--warn-soft:#33270c}}
*{box-sizing:border-box}[hidden]{display:none!important}
html{overflow-y:scroll;scroll-padding-top:7.5rem}
body{margin:0;background:var(--page);color:var(--text);font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums}
a{color:var(--accent);text-decoration:none}a:hover,p a,.sub a,td a,.none a,.findings a{text-decoration:underline}
h1{font-size:1.25rem;margin:0;overflow-wrap:anywhere}h2{font-size:.9375rem;margin:0}h3{font-size:.9375rem;margin:0 0 .25rem}
p{margin:0 0 .5rem}ul,ol{margin:0;padding:0;list-style:none}
code,pre,kbd,.bars{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em}
.bars{font-size:.75rem;line-height:1;white-space:pre-wrap}.bars .good{color:var(--good)}.bars .bad{color:var(--bad)}
kbd{border:1px solid var(--line);border-radius:.25rem;padding:0 .35rem;background:var(--page)}
pre{margin:0;padding:.75rem;overflow:auto;max-height:26rem;background:var(--page);border-radius:.375rem;white-space:pre-wrap;overflow-wrap:anywhere}
.soft,.sub,small{color:var(--soft)}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-99rem}.skip:focus{left:.5rem;top:.5rem;z-index:9;background:var(--card);padding:.5rem}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
[data-part]:target,.row:target,tr:target,td>div:target,li:target{box-shadow:0 0 0 2px var(--accent)}
button,.button,select,input,textarea{font:inherit;color:inherit;min-height:2rem;padding:.2rem .65rem;border:1px solid var(--line);border-radius:.375rem;background:var(--card)}
select,input,textarea{border-color:#7b8290}[data-json]:invalid{border-color:var(--bad);outline-color:var(--bad)}
button,.button{cursor:pointer;white-space:nowrap;display:inline-flex;align-items:center;font-weight:500}
button:hover,.button:hover{border-color:var(--accent);text-decoration:none}
button.main{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
button.danger{border-color:var(--bad);color:var(--bad)}
.copy{visibility:hidden;color:var(--accent)}.js .copy{visibility:visible}.js .plainly{display:none}
.top{position:sticky;top:0;z-index:5;background:var(--card);border-bottom:1px solid var(--line);padding:.5rem 1rem;display:grid;grid-template-columns:minmax(0,1fr);gap:.4rem}
.line{display:flex;gap:.75rem;align-items:center;min-height:2rem}
.brand{font-weight:700;color:var(--text);white-space:nowrap}
.pick{display:flex;gap:.25rem}.pick select{max-width:11rem}
.modes{display:flex;border:1px solid var(--line);border-radius:.375rem;overflow:hidden}
.modes a{padding:.25rem .6rem;color:var(--text);white-space:nowrap}.modes a+a{border-left:1px solid var(--line)}.modes [aria-current]{background:var(--tint);color:var(--accent);font-weight:600}
.search{flex:1;position:relative;max-width:36rem;margin-left:auto}.search input{width:100%;padding-right:2.25rem}.search kbd{position:absolute;right:.5rem;top:.4rem;color:var(--soft)}
.live{min-width:4.5rem;text-align:right;color:var(--soft);white-space:nowrap}.live.on{color:var(--good)}.live.off{color:var(--bad)}
.line.clock{gap:.5rem}.clock button{min-height:1.75rem;padding:.05rem .6rem}.clock form{display:flex;flex-wrap:nowrap;gap:.4rem;align-items:center;margin:0}.clock .time{flex:none;min-width:14rem;white-space:nowrap}.clock .time strong{font-size:1.05rem}.due{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.body{display:grid;grid-template-columns:10.5rem minmax(0,1fr);max-width:120rem;margin:0 auto}
.menu{padding:1rem .5rem 1rem 1rem}.menu ul{position:sticky;top:6.5rem;display:grid;gap:.1rem}
.menu a{display:flex;gap:.5rem;padding:.4rem .65rem;border-radius:.375rem;color:var(--text)}.menu a:hover{background:var(--tint);text-decoration:none}
.menu [aria-current]{background:var(--tint);color:var(--accent);font-weight:600}.menu .apart{border-top:1px solid var(--line);margin-top:.5rem;padding-top:.5rem}
.count{color:var(--soft);font-weight:400}.count.bad{color:var(--bad);font-weight:600}.count.warn{color:var(--warn);font-weight:600}
main{container-type:inline-size;padding:1rem;min-width:0;display:grid;gap:1rem;align-content:start;outline:none}main.alone{max-width:40rem;margin:4rem auto}
aside{padding:1rem 1rem 1rem 0;display:grid;gap:1rem;align-content:start;min-width:0}
section,.object,.steps>li,.card{background:var(--card);border:1px solid var(--line);border-radius:.625rem;padding:.75rem 1rem;min-width:0}
.head{display:flex;gap:.75rem;align-items:center;min-height:2.25rem;margin-bottom:.35rem}.head .tools{margin-left:auto;display:flex;flex-wrap:wrap;gap:.5rem;min-width:0;max-width:100%}
.more{color:var(--accent);border-color:var(--accent);border-radius:1rem;min-height:1.75rem}
.tabs{display:flex;position:relative;gap:.25rem;overflow-x:auto}.tabs a{padding:.25rem .6rem;border-radius:.375rem;white-space:nowrap}.tabs [aria-current]{background:var(--tint);font-weight:600}
.badge{font-weight:600;white-space:nowrap}.badge.good{color:var(--good)}.badge.bad{color:var(--bad)}.badge.warn{color:var(--warn)}
.tag{font-size:.75rem;background:var(--warn-soft);color:var(--warn);border-radius:.25rem;padding:0 .35rem}
.rows{--at:5.5rem;--state:8.75rem}#activity .rows{--state:11.75rem}:is(#attention,#receivers) .rows{--state:7rem}.rows:has(.date){--at:7rem}.rows:not(:has(>.row>.at:not(:empty))){--at:0rem}.rows:not(:has(>.row>.state:not(:empty))){--state:0rem}
.row{position:relative;display:grid;grid-template-columns:var(--at) var(--state) minmax(0,1fr) auto auto;align-items:center;padding:.4rem .25rem .4rem .75rem;border-top:1px solid var(--line);min-height:2.5rem}.row[style]{overflow:clip;overflow-clip-margin:4px}
.row:first-child{border-top:0}.row:has([data-row]):hover{background:var(--tint)}.row [data-row]::after{content:"";position:absolute;inset:0}.row [data-row]:focus-visible{outline:none}.row [data-row]:focus-visible::after{outline:2px solid var(--accent);outline-offset:-2px}:is(.acts,.sub) :is(a,button),.sub :is(a,button){position:relative;z-index:1}.row.bad{box-shadow:inset 3px 0 var(--bad)}.row>.at{color:var(--soft);white-space:nowrap}.row>.at:not(:empty){padding-right:.75rem}
.what{min-width:0;display:grid}.title,.sub{overflow-wrap:anywhere}.title{padding:2px}.title a{font-weight:500;color:var(--text)}.title a:hover{color:var(--accent)}.sub{font-size:.8125rem;padding-left:2px}.row.bad .reason{color:var(--bad)}
.side{text-align:right;white-space:nowrap}.row>.side:not(:empty),.row>.acts:not(:empty){margin-left:.75rem}.acts{display:flex;gap:.375rem;justify-content:flex-end}.slots{display:flex;gap:.375rem}.slots>:empty{display:none}.slots button{width:100%;justify-content:center}
.none{padding:.75rem .5rem;color:var(--soft)}
.small li{position:relative;display:flex;gap:.5rem;align-items:center;min-height:2.1rem;border-top:1px solid var(--line);white-space:nowrap;overflow:hidden}.small li:first-child{border-top:0}.small a{overflow:hidden;text-overflow:ellipsis;flex:1}.small .at{color:var(--soft);flex:0 0 4rem;font-variant-numeric:tabular-nums}#next{font-size:.8125rem}#next li{padding:.15rem 2.9rem .15rem 0}#next button{position:absolute;right:0}#next a span{display:block;overflow:hidden;text-overflow:ellipsis;line-height:1.25}.small button{min-height:1.5rem;padding:0 .5rem}
.fields{display:flex;flex-wrap:wrap;gap:.5rem .75rem;align-items:end;margin:.5rem 0}.field{display:grid;gap:.1rem}.field>span{font-size:.75rem;color:var(--soft)}.field select,.field input{min-width:7rem;max-width:22rem}.field input[type=search]{width:14rem}[data-live] select{max-width:13rem}.field input:is([name=url],[name=app]){width:17rem}.field input[type=number]{width:6rem;min-width:0}.field.grow{flex:1 1 18rem}.field.grow input{max-width:none}.field.whole{flex-basis:100%}textarea{width:100%;font-family:ui-monospace,Menlo,Consolas,monospace}.fault{flex-basis:100%;margin:0;color:var(--bad)}.fault:empty{position:absolute}
.object h1{margin-bottom:.5rem}.object .big{font-size:1.125rem;overflow-wrap:anywhere}.payment{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.5rem 1rem;align-items:baseline}.payment>*,.payment h1{margin:0}.payment h1{font-size:1.125rem}.payment>:is(.why,.actions){flex-basis:100%}.payment .status{font-size:1.125rem;overflow-wrap:anywhere}.payment .status .reason{font-size:1rem}.why{padding:.5rem .75rem;background:var(--tint);border-radius:.375rem;overflow-wrap:anywhere}.actions{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
.split{display:flex}.split:empty{display:none}.split>button{border-radius:.375rem 0 0 .375rem}.split>button+.menu-of summary{border-radius:0 .375rem .375rem 0;margin-left:-1px}
summary.button{list-style:none;width:auto;gap:.35rem;padding:.2rem .65rem}.panel{position:absolute;z-index:4;top:calc(100% + .25rem);left:0;display:grid;gap:.5rem;width:max-content;max-width:min(42rem,100%);padding:.5rem .75rem;background:var(--card);border:1px solid var(--line);border-radius:.375rem;box-shadow:0 6px 24px #0003}.panel>*{margin:0;min-width:0}.object .actions{position:relative}.mark.good{color:var(--good)}.mark.bad{color:var(--bad)}.mark.warn{color:var(--warn)}.panel>*+*{border-top:1px solid var(--line);padding-top:.5rem}.panel .snippet+.snippet{border-top-width:1px;padding:0}.panel pre{padding:.4rem .75rem;max-height:15rem}
.object .id{margin-left:auto;color:var(--soft);overflow-wrap:anywhere}.object .id .copy{margin-left:.5rem}.status .bad~.reason{color:var(--bad)}
.back{margin:0}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.5rem 1.5rem;margin:.25rem 0}.facts dt{color:var(--soft);font-size:.75rem}.facts dd{margin:0;overflow-wrap:anywhere}
.snippet{border:1px solid var(--line);border-radius:.375rem;margin:.5rem 0}.snippet .bar{display:flex;justify-content:space-between;align-items:center;padding:.15rem .25rem .15rem .75rem;color:var(--soft)}.snippet pre{border-radius:0 0 .375rem .375rem;max-height:12rem}
.wide{overflow-x:auto;position:relative}.card p{overflow-wrap:anywhere}table{border-collapse:collapse;width:100%}th{text-align:start;color:var(--soft);font-weight:500;font-size:.8125rem}th,td{padding:.35rem .75rem .35rem 0;border-top:1px solid var(--line);vertical-align:baseline}thead th{border-top:0}.number{text-align:right;white-space:nowrap}
.lanes{overflow-wrap:anywhere}.lanes th{width:1px;font-size:.93em}.lanes th:nth-child(2){width:10.4em}.lanes th:nth-child(3){width:14em}.lanes th:last-child{width:auto}.lanes:not(:has(td:nth-child(4)>div)) :is(th,td):nth-child(4){display:none}.lanes td:nth-child(4) li{white-space:nowrap}.lanes td:last-child li{display:flex;gap:.5rem;justify-content:space-between;align-items:baseline}.lanes .reason{color:var(--bad)}.lanes td:nth-child(3) .soft{display:block}
.lanes .at{white-space:nowrap;color:var(--soft)}.lanes .due td{color:var(--soft)}.fold td,.now td{text-align:center;color:var(--soft);font-size:.8125rem;padding:.2rem}.now td{background:var(--tint);color:var(--accent)}
.lanes button{min-height:1.6rem;padding:0 .5rem}
.attempts>li{border-top:1px solid var(--line);padding:.5rem 0}.attempts>li:first-child{border-top:0}summary h2{display:inline}summary{cursor:pointer;width:max-content;max-width:100%;padding:.25rem 0}
.diff>div{display:grid;grid-template-columns:minmax(8rem,16rem) 1fr;gap:.5rem;border-top:1px solid var(--line);padding:.25rem 0}.diff{margin:0}.diff dd{margin:0;overflow-wrap:anywhere}ins,del{text-decoration:none;padding:0 .25rem;border-radius:.2rem}ins{background:var(--good-soft);color:var(--good)}ins::before{content:"+ "}del{background:var(--bad-soft);color:var(--bad)}del::before{content:"− "}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(26rem,100%),1fr));gap:.75rem}.card{background:var(--page)}
.drawn{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 0}.stop{border:1px solid var(--line);background:var(--card);border-radius:1rem;padding:.05rem .6rem;font-size:.8125rem;font-weight:600}.stop.good{color:var(--good)}.stop.bad{color:var(--bad)}.stop.warn{color:var(--warn)}.gap{font-size:.75rem;color:var(--soft);padding:0 .4rem}.gap::before,.gap::after{content:"──";color:var(--line);letter-spacing:-.15em}.drawn .soft{margin-right:.5rem}
.findings{display:grid;gap:.5rem;padding:.5rem 0}
.steps{display:grid;gap:1rem}.steps h2{margin-bottom:.5rem}.pager{display:flex;gap:1rem;padding:.5rem .25rem 0;color:var(--soft)}
#said .notice{position:fixed;left:50%;bottom:1.25rem;transform:translateX(-50%);z-index:8;max-width:min(46rem,92vw);margin:0;background:var(--text);color:var(--page);padding:.65rem 1rem;border-radius:.5rem;box-shadow:0 6px 24px #0005;overflow-wrap:anywhere}#said .bad{background:var(--bad);color:var(--card)}#said button{margin-left:.75rem;color:var(--text)}
#gone:not([hidden]){position:fixed;inset:0 0 auto;z-index:9;background:var(--bad);color:var(--card);padding:.5rem 1rem;text-align:center}
dialog{border:1px solid var(--line);border-radius:.625rem;background:var(--card);color:var(--text);padding:1.25rem;min-width:20rem}dialog .facts{grid-template-columns:auto;gap:.4rem;margin:.75rem 0}dialog .facts>div{display:grid;grid-template-columns:5rem 1fr}dialog .facts dd{white-space:nowrap}dialog::backdrop{background:#0008}
progress{width:6rem;vertical-align:middle}
.with-list>aside{display:none}.row:has([aria-current]){background:var(--tint)}
@media (min-width:90rem){.with-list{grid-template-columns:10.5rem 19.5rem minmax(0,1fr)}.with-list>main{grid-column:3}.with-list>aside{display:block;grid-area:1/2;position:sticky;top:5.5rem;height:calc(100vh - 5.5rem);overflow:auto;padding:1rem 0 1rem 1rem}.with-list .back:has(+.object){display:none}main:has(>#delivery){grid-template:auto auto 1fr/minmax(0,1fr) minmax(0,1fr)}main:has(>#delivery)>*{grid-column:1/-1;align-self:start}#delivery~#attempts{grid-area:2/1}#delivery~#diff{grid-area:3/1}#delivery~#body{grid-area:2/2/span 2}#delivery~#diff .diff>div{grid-template-columns:minmax(0,1fr);gap:0}#beside{padding:.5rem;font-size:.8125rem}#beside .row{grid-template:"state side" auto "title title" auto "sub sub" auto/auto minmax(0,1fr);padding-block:.35rem;gap:0 .5rem}#beside .row>*{grid-area:auto}#beside .state{grid-area:state}#beside .side{grid-area:side;margin-left:0;white-space:normal;overflow-wrap:anywhere}#beside .what{display:contents}#beside .title{grid-area:title}#beside .sub{grid-area:sub;padding:0}#beside .title{padding:0}#beside .sub bdi{font-size:0}#beside .reason{font-size:.8125rem}#beside .row:not(.bad) .sub,#beside :is(.at,.acts){display:none}}
@media (min-width:75rem){.with-aside{grid-template-columns:10.5rem minmax(0,1fr) 20.5rem}}
@media (max-width:74.99rem){.with-aside aside{grid-column:2;padding:0 1rem 1rem}}
@media (max-width:60rem){.line{flex-wrap:wrap}.due{flex-basis:auto}.row{display:flex;flex-wrap:wrap;gap:.15rem .35rem}.row>:empty{display:none}.row>.at:not(:empty){padding-right:0}.row>.side:not(:empty){margin-left:auto}.row>.what{order:1;flex:0 0 100%}.row>.acts{order:2;flex:0 0 100%;justify-content:flex-start;flex-wrap:wrap}.row>.acts:not(:empty){margin-left:0}.row:has(>.at:empty):has(>.state:empty)>.what{order:0;flex:1}#advice .row>.side{order:2;flex:0 0 100%;text-align:left;overflow-wrap:anywhere;white-space:normal}}
@media (max-width:46rem){.row{padding-left:.5rem}.row>.at,.row .badge{font-size:.8125rem}.top{padding:.4rem .75rem;position:static}.line{flex-wrap:wrap;gap:.4rem}.search{order:9;flex-basis:100%;max-width:none}.body,.with-aside{grid-template-columns:minmax(0,1fr)}.menu{padding:.5rem .75rem 0;min-width:0}.menu ul{position:relative;top:0;display:flex;overflow-x:auto}.menu .apart{border:0;margin:0;padding:0}.menu a{white-space:nowrap}main,.with-aside aside{padding:.75rem;grid-column:1}.clock .time{flex-basis:auto;min-width:0}.clock button{padding:.05rem .45rem}.pick{flex:1;min-width:5rem}.pick select{width:100%}.table .acts{display:none}.clock .day{display:none}.live{min-width:0}.brand .name{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}.modes a{padding:.25rem .4rem}section,.object{padding:.6rem .75rem}.diff>div{grid-template-columns:1fr;gap:0}.facts{grid-template-columns:repeat(auto-fit,minmax(9rem,1fr))}.head{flex-wrap:wrap}
.lanes,.lanes tbody,.lanes tr,.lanes td{display:block;width:auto!important}.lanes thead{display:none}.lanes tr{border-top:1px solid var(--line);padding:.25rem 0}.lanes td{border:0;padding:.1rem 0}.lanes td:empty{display:none}}
.heads{display:none}.rows.table{--at:4.5rem;--state:7rem;--side:5.5rem;--title:34%}#charges .table{--state:11.25rem;--side:11rem;--title:19%}#withdrawals .table{--state:8.75rem;--side:11rem;--title:26%}#probes .table{--side:0rem;--title:22%}#requests .table{--side:4.5rem}.table:has(.date){--at:5.75rem}
@container (width<56rem){.lanes{font-size:.8125rem}}
@container (min-width:48rem){
#activity .what{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .75rem}#activity .title{min-width:9rem}#activity .row{min-height:2.1rem;padding-block:.2rem}
.table>.row,.table>.heads{display:grid;grid-template:"at state title title side" auto "at state sub acts acts" auto/var(--at) var(--state) minmax(0,1fr) auto auto;gap:0 .75rem;align-items:center;padding:.1rem .25rem .1rem .75rem;min-height:0}
.table>*>.at:nth-child(n){grid-area:at;padding:0}.table>*>.state{grid-area:state}.table>*>.what{display:contents}.table>*>.what>.title{grid-area:title}.table>*>.what>.sub{grid-area:sub}.table>*>.side:nth-child(n){grid-area:side;margin:0}.table>*>.acts:nth-child(n){grid-area:acts;margin:0;flex-wrap:nowrap;justify-content:flex-end}.table>.row:has(>.acts:empty)>.what>.sub{grid-column:sub-start/acts-end}
.table button{min-height:1.5rem;padding:0 .5rem;font-size:.8125rem}.table .slots>:first-child{width:4.75rem}.table .slots{width:100%}.table .slots>:last-child{display:block;flex:1 0 4rem}.table .slots button{padding:0}
.table>.heads{color:var(--soft);font-size:.8125rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}.heads>.what>.sub{display:none}.table>.heads+.row{border-top:0}}
@container (min-width:62rem){
.table>.row,.table>.heads{padding-block:.2rem;grid-template:"at state side title sub acts"/var(--at) var(--state) var(--side) var(--title) minmax(0,1fr) auto}.table>*>.side{white-space:normal;overflow-wrap:anywhere}#requests .side{text-align:left}
.heads>.what>.sub{display:block}}
@container (62rem<=width<70rem){#charges .table>.row,#charges .table>.heads{padding-block:.1rem;grid-template:"at state title title side" auto "at state sub acts acts" auto/var(--at) var(--state) minmax(0,1fr) auto auto}#charges .heads>.what>.sub{display:none}}
@media (forced-colors:active){[aria-current],[data-part]:target,.row:target,tr:target,td>div:target,li:target{outline:2px solid Highlight;outline-offset:-2px}.row.bad{border-left:3px solid}#said .notice,#gone:not([hidden]){border:2px solid}.why,.snippet,pre{border:1px solid}}
`;
