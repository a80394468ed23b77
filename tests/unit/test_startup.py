"""What the app imports when it starts: what each first visitor would wait for, and what not."""


def test_no_head_but_a_model_s_needs_torch_s_compiler_or_transformers(fresh_pythons):
    program = (
        "import sys\n"
        "from attention_viz.demo import demo_heads\n"
        "import attention_viz as av\n"
        "demo_heads(); av.random_head(8, 4)\n"
        "print([name for name in ('torch._dynamo', 'transformers') if name in sys.modules])"
    )
    assert [out.strip() for out in fresh_pythons((program, {}))] == ["[]"]


def test_pandas_is_whole_before_a_figure_is_drawn(fresh_pythons):
    program = (
        "import sys\n"
        "from attention_viz.ui import collector\n"
        "collector.settle()\n"
        "print('pandas' in sys.modules)"
    )
    assert [out.strip() for out in fresh_pythons((program, {}))] == ["True"]
