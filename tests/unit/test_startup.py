"""What the app must not import to start: each would be waited for by the first visitor."""


def test_the_demo_heads_load_without_torch_s_compiler(fresh_pythons):
    program = (
        "import sys\n"
        "from attention_viz.demo import demo_heads\n"
        "import attention_viz as av\n"
        "demo_heads(); av.random_head(8, 4)\n"
        "print('torch._dynamo' in sys.modules)"
    )
    assert [out.strip() for out in fresh_pythons((program, {}))] == ["False"]
